import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SelectorRequirement } from '../../../src/core/kube/kinds.ts';
import {
  describeNodeSelector,
  firstUnmetRequirement,
  matchesLabelSelector,
  matchesNodeSelector,
  matchesNodeSelectorTerm,
  matchesTopologyTerms,
  toleratesTaint,
  untoleratedTaints,
} from '../../../src/core/kube/selectors.ts';

const zone = 'topology.kubernetes.io/zone';
const labels = { disk: 'ssd', [zone]: 'a', cores: '8', empty: '' };
const selecting = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});

describe('matchesLabelSelector', () => {
  it('selects nothing without a selector and everything with an empty one', () => {
    expect(matchesLabelSelector(undefined, labels)).toBe(false);
    expect(matchesLabelSelector(null, labels)).toBe(false);
    expect(matchesLabelSelector({}, labels)).toBe(true);
    expect(matchesLabelSelector({ matchLabels: {}, matchExpressions: [] }, undefined)).toBe(true);
  });

  it.each([
    ['disk', 'In', ['ssd', 'nvme'], true],
    ['disk', 'In', ['hdd'], false],
    ['rack', 'In', ['ssd'], false],
    ['empty', 'In', [''], true],
    ['rack', 'In', [''], false],
    ['disk', 'NotIn', ['hdd'], true],
    ['disk', 'NotIn', ['ssd'], false],
    ['rack', 'NotIn', ['ssd'], true],
    ['disk', 'Exists', [], true],
    ['empty', 'Exists', [], true],
    ['rack', 'Exists', [], false],
    ['disk', 'DoesNotExist', [], false],
    ['rack', 'DoesNotExist', [], true],
    ['toString', 'Exists', [], false],
  ])('%s %s %j is %s', (key, operator, values, expected) => {
    expect(matchesLabelSelector(selecting(key, operator, ...values), labels)).toBe(expected);
  });

  it.each([
    ['disk', 'In', []],
    ['rack', 'NotIn', []],
    ['disk', 'Exists', ['ssd']],
    ['rack', 'DoesNotExist', ['ssd']],
    ['disk', 'in', ['ssd']],
    ['rack', 'NotIn', ['not a label value']],
  ])('a malformed requirement selects nothing: %s %s %j', (key, operator, values) => {
    expect(matchesLabelSelector(selecting(key, operator, ...values), labels)).toBe(false);
  });

  it('wants labels and expressions together', () => {
    const selector = { matchLabels: { disk: 'ssd' }, ...selecting(zone, 'In', 'a') };
    expect(matchesLabelSelector(selector, labels)).toBe(true);
    expect(matchesLabelSelector(selector, { disk: 'ssd' })).toBe(false);
    expect(matchesLabelSelector(selector, { [zone]: 'a' })).toBe(false);
    expect(matchesLabelSelector(selector, undefined)).toBe(false);
  });
});

describe('firstUnmetRequirement', () => {
  it('names what the labels lack', () => {
    expect(firstUnmetRequirement({ matchLabels: { disk: 'nvme' } }, labels)).toBe('disk=nvme');
    expect(firstUnmetRequirement(selecting('zone', 'In', 'a', 'b'), labels)).toBe('zone in (a, b)');
    expect(firstUnmetRequirement(selecting('disk', 'NotIn', 'ssd'), labels)).toBe('disk not in (ssd)');
    expect(firstUnmetRequirement(selecting('rack', 'Exists'), labels)).toBe('rack exists');
    expect(firstUnmetRequirement(selecting('disk', 'DoesNotExist'), labels)).toBe('disk does not exist');
  });

  it('says the same whatever the order of the keys', () => {
    expect(firstUnmetRequirement({ matchLabels: { b: '1', a: '1' } }, {})).toBe('a=1');
    expect(firstUnmetRequirement({ matchLabels: { b: '1' }, ...selecting('a', 'Exists') }, {})).toBe('a exists');
  });

  it('is silent exactly when a selector matches', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const requirement: fc.Arbitrary<SelectorRequirement> = fc.record({
      key: word,
      operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Bogus'),
      values: fc.array(word, { maxLength: 2 }),
    });
    const selector = fc.record(
      { matchLabels: fc.dictionary(word, word), matchExpressions: fc.array(requirement, { maxLength: 3 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(selector, fc.dictionary(word, word), (wanted, given) => {
        expect(firstUnmetRequirement(wanted, given) === undefined).toBe(matchesLabelSelector(wanted, given));
      }),
    );
  });

  it('finds nothing unmet where nothing is required', () => {
    expect(firstUnmetRequirement(undefined, labels)).toBeUndefined();
    expect(firstUnmetRequirement({}, labels)).toBeUndefined();
  });
});

describe('matchesNodeSelector', () => {
  it('takes any node without a selector and none without terms', () => {
    expect(matchesNodeSelector(undefined, labels)).toBe(true);
    expect(matchesNodeSelector({}, labels)).toBe(false);
    expect(matchesNodeSelector({ nodeSelectorTerms: [] }, labels)).toBe(false);
    expect(matchesNodeSelector({ nodeSelectorTerms: [{}] }, labels)).toBe(false);
  });

  it('takes terms as alternatives and expressions together', () => {
    const inZoneB = selecting(zone, 'In', 'b');
    const inZoneA = selecting(zone, 'In', 'a');
    expect(matchesNodeSelector({ nodeSelectorTerms: [inZoneB, inZoneA] }, labels)).toBe(true);
    expect(
      matchesNodeSelector(
        { nodeSelectorTerms: [{ matchExpressions: [...inZoneA.matchExpressions, ...inZoneB.matchExpressions] }] },
        labels,
      ),
    ).toBe(false);
    expect(matchesNodeSelector({ nodeSelectorTerms: [{}, inZoneA] }, labels)).toBe(true);
  });

  it.each([
    ['cores', 'Gt', ['7'], true],
    ['cores', 'Gt', ['8'], false],
    ['cores', 'Lt', ['9'], true],
    ['cores', 'Lt', ['10'], true],
    ['cores', 'Lt', ['8'], false],
    ['disk', 'Gt', ['1'], false],
    ['rack', 'Lt', ['1'], false],
    ['cores', 'Gt', ['few'], false],
    ['cores', 'Gt', ['1', '2'], false],
    ['cores', 'Gt', ['-1'], false],
    ['cores', 'Lt', ['99999999999999999999'], false],
  ])('%s %s %j is %s', (key, operator, values, expected) => {
    expect(matchesNodeSelectorTerm(selecting(key, operator, ...values), labels)).toBe(expected);
  });

  it('checks matchFields against the fields of the node', () => {
    const onNodeA = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-a'] }] };
    const notOnNodeA = { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['node-a'] }] };
    expect(matchesNodeSelectorTerm(onNodeA, labels, { 'metadata.name': 'node-a' })).toBe(true);
    expect(matchesNodeSelectorTerm(onNodeA, labels, { 'metadata.name': 'node-b' })).toBe(false);
    expect(matchesNodeSelectorTerm(notOnNodeA, labels, { 'metadata.name': 'node-a' })).toBe(false);
    expect(matchesNodeSelectorTerm(notOnNodeA, labels, { 'metadata.name': 'node-b' })).toBe(true);
  });

  it('passes over matchFields when the fields are not known, as the scheduler does for volumes', () => {
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['node-a'] }];
    expect(matchesNodeSelectorTerm({ matchFields }, labels)).toBe(true);
    expect(matchesNodeSelectorTerm({ matchFields }, labels, {})).toBe(true);
    expect(matchesNodeSelectorTerm({ matchFields, ...selecting(zone, 'In', 'b') }, labels)).toBe(false);
    expect(
      matchesNodeSelectorTerm({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] }, labels),
    ).toBe(false);
    expect(matchesNodeSelectorTerm({ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }, labels)).toBe(
      false,
    );
  });
});

describe('matchesTopologyTerms', () => {
  const term = (...values: string[]) => ({ matchLabelExpressions: [{ key: zone, values }] });

  it('admits everything without terms and nothing by an empty term', () => {
    expect(matchesTopologyTerms(undefined, labels)).toBe(true);
    expect(matchesTopologyTerms([], undefined)).toBe(true);
    expect(matchesTopologyTerms([{}], labels)).toBe(false);
    expect(matchesTopologyTerms([{ matchLabelExpressions: [] }], labels)).toBe(false);
  });

  it('takes terms and values as alternatives, expressions together', () => {
    expect(matchesTopologyTerms([term('b'), term('c', 'a')], labels)).toBe(true);
    expect(matchesTopologyTerms([term('b', 'c')], labels)).toBe(false);
    expect(
      matchesTopologyTerms(
        [
          {
            matchLabelExpressions: [
              { key: zone, values: ['a'] },
              { key: 'disk', values: ['hdd'] },
            ],
          },
        ],
        labels,
      ),
    ).toBe(false);
    expect(matchesTopologyTerms([term('a')], undefined)).toBe(false);
    expect(matchesTopologyTerms([{ matchLabelExpressions: [{ key: zone }] }], labels)).toBe(false);
  });
});

describe('describeNodeSelector', () => {
  it('writes one line', () => {
    expect(describeNodeSelector({ nodeSelectorTerms: [selecting(zone, 'In', 'zone-a')] })).toBe(
      'topology.kubernetes.io/zone in (zone-a)',
    );
    expect(
      describeNodeSelector({ nodeSelectorTerms: [selecting('zone', 'In', 'a', 'b'), selecting('cores', 'Gt', '4')] }),
    ).toBe('zone in (a, b) or cores > 4');
    expect(
      describeNodeSelector({
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'zone', operator: 'Exists' },
              { key: 'gpu', operator: 'DoesNotExist' },
            ],
          },
          {},
          { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] },
        ],
      }),
    ).toBe('(zone exists and gpu does not exist) or metadata.name in (n1)');
  });

  it('says when any or no node will do', () => {
    expect(describeNodeSelector(undefined)).toBe('any node');
    expect(describeNodeSelector({ nodeSelectorTerms: [{}] })).toBe('no node');
  });
});

describe('toleratesTaint', () => {
  const taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' };

  it.each([
    [{ key: 'dedicated', operator: 'Equal', value: 'db', effect: 'NoSchedule' }, true],
    [{ key: 'dedicated', value: 'db' }, true],
    [{ key: 'dedicated', value: 'web' }, false],
    [{ key: 'dedicated' }, false],
    [{ key: 'dedicated', operator: 'Exists' }, true],
    [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }, false],
    [{ key: 'gpu', operator: 'Exists' }, false],
    [{ operator: 'Exists' }, true],
    [{ operator: 'Exists', effect: 'NoSchedule' }, true],
    [{ operator: 'Exists', effect: 'NoExecute' }, false],
    [{ key: 'dedicated', operator: 'Sometimes', value: 'db' }, false],
  ])('%j: %s', (toleration, expected) => {
    expect(toleratesTaint([toleration], taint)).toBe(expected);
  });

  it('takes a taint without a value as one with an empty value', () => {
    expect(toleratesTaint([{ key: 'gpu' }], { key: 'gpu', effect: 'NoSchedule' })).toBe(true);
  });

  it('compares numbers', () => {
    const tainted = { key: 'sla', value: '950', effect: 'NoSchedule' };
    expect(toleratesTaint([{ key: 'sla', operator: 'Gt', value: '900' }], tainted)).toBe(true);
    expect(toleratesTaint([{ key: 'sla', operator: 'Lt', value: '900' }], tainted)).toBe(false);
    expect(toleratesTaint([{ key: 'sla', operator: 'Gt', value: 'high' }], tainted)).toBe(false);
  });

  it('needs one toleration among many, and none tolerates nothing', () => {
    expect(
      toleratesTaint(
        [
          { key: 'gpu', operator: 'Exists' },
          { key: 'dedicated', operator: 'Exists' },
        ],
        taint,
      ),
    ).toBe(true);
    expect(toleratesTaint([], taint)).toBe(false);
    expect(toleratesTaint(undefined, taint)).toBe(false);
  });
});

describe('untoleratedTaints', () => {
  it('lists what keeps a pod off, and leaves preferences out', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'PreferNoSchedule' },
      { key: 'c', effect: 'NoExecute' },
      { key: 'd', effect: 'NoSchedule' },
    ];
    expect(untoleratedTaints([{ key: 'd', operator: 'Exists' }], taints).map(({ key }) => key)).toEqual(['a', 'c']);
    expect(untoleratedTaints([{ operator: 'Exists' }], taints)).toEqual([]);
    expect(untoleratedTaints(undefined, undefined)).toEqual([]);
  });
});
