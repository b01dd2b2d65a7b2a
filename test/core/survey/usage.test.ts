import { describe, expect, it } from 'vitest';
import type { UsageSurvey, VolumeUsage } from '../../../src/core/kube/volume-usage.ts';
import { askCheck } from '../../../src/core/survey/checks/ask-check.ts';
import { surveyRows } from '../../../src/core/survey/rows/survey-rows.ts';
import { askStatus } from '../../../src/core/survey/status/ask-status.ts';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import { baseObjects, snapshotOf } from '../../kit/scenario.ts';

const gibibyte = 1024 ** 3;
const everything = { breadth: 'everything' } as const;
const answered = [{ source: 'P', state: 'answered' }] as const;

/** The healthy cluster, whose one claim was measured like this. */
function measured(usage: Partial<VolumeUsage> | undefined, attempts: UsageSurvey['attempts'] = answered): Snapshot {
  const volumes = usage ? [{ namespace: 'shop', claim: 'healthy', source: 'P', ...usage }] : [];
  return snapshotOf(baseObjects(), { usage: { volumes, attempts } });
}

const bytes = (used: number): VolumeUsage['bytes'] => ({
  total: 5 * gibibyte,
  used: used * gibibyte,
  free: (5 - used) * gibibyte,
});
const findings = (snapshot: Snapshot): string[] =>
  askCheck(snapshot, everything).survey.findings.map(({ id, severity }) => `${id} ${severity}`);

const isSpec = (spec: unknown): spec is object => typeof spec === 'object' && spec !== null;

describe('a check with usage', () => {
  it('finds a full volume, with the patch that lets it grow', () => {
    const { survey } = askCheck(measured({ bytes: bytes(5) }), everything);
    const full = survey.findings.find(({ id }) => id === 'volume-full');
    expect(full).toMatchObject({ severity: 'blocking', confidence: 'certain', object: { name: 'healthy' } });
    expect(full?.fix[0]?.command).toBe(
      `kubectl -n shop patch pvc healthy --type=merge -p '{"spec":{"resources":{"requests":{"storage":"8Gi"}}}}'`,
    );
  });

  it('finds one without inodes, one that is nearly full, and one that soon will be', () => {
    expect(findings(measured({ bytes: bytes(1), inodes: { total: 10, used: 10, free: 0 } }))).toContain(
      'volume-inodes-full blocking',
    );
    expect(findings(measured({ bytes: bytes(4.6) }))).toContain('volume-nearly-full warning');
    expect(findings(measured({ bytes: bytes(3), fullInSeconds: 6 * 3600 }))).toContain('volume-nearly-full warning');
    expect(findings(measured({ bytes: bytes(3) }))).toEqual(findings(snapshotOf(baseObjects())));
  });

  it('is not complete where no source has answered, and names those that were asked', () => {
    const { survey } = askCheck(measured(undefined, [{ source: 'P', state: 'denied', message: 'no' }]), everything);
    expect(survey.isSearched).toBe(false);
    expect(survey.unread).toContainEqual(
      expect.objectContaining({ resource: 'volume usage from P', reason: 'forbidden' }),
    );
  });

  it('is not complete where a source has answered without a figure of any volume here', () => {
    const { survey } = askCheck(measured(undefined), everything);
    expect(survey.isSearched).toBe(false);
  });

  it('is not complete where only inodes were measured', () => {
    const { survey } = askCheck(measured({ inodes: { total: 10, used: 1, free: 9 } }), everything);
    expect(survey.isSearched).toBe(false);
    expect(survey.unread).toContainEqual(expect.objectContaining({ resource: 'volume usage' }));
  });

  it('does not call a block device full, of which a kubelet only knows the size', () => {
    const objects = baseObjects().map((object) =>
      object.kind === 'PersistentVolumeClaim' && isSpec(object['spec'])
        ? { ...object, spec: { ...object['spec'], volumeMode: 'Block' } }
        : object,
    );
    const usage = { bytes: { total: gibibyte, used: 0, free: 0 } };
    const volumes = [{ namespace: 'shop', claim: 'healthy', source: 'P', ...usage }];
    expect(findings(snapshotOf(objects, { usage: { volumes, attempts: answered } }))).not.toContain(
      'volume-full blocking',
    );
  });

  it('keeps to the thresholds of the user', () => {
    const limits = { bytesPercent: 50, inodesPercent: 90 };
    const { survey } = askCheck(measured({ bytes: bytes(3) }), everything, { limits });
    expect(survey.findings.map(({ id }) => id)).toContain('volume-nearly-full');
  });
});

describe('a check of claims that no pod uses', () => {
  const unused = (snapshot: Snapshot): string[] =>
    askCheck(snapshot, everything).survey.findings.flatMap(({ id, object }) =>
      id === 'claim-unused' ? [object.name] : [],
    );

  it('finds them without the condition of newer servers', () => {
    const objects = baseObjects().filter(({ kind, metadata }) => kind !== 'Pod' || metadata.name !== 'happy');
    expect(unused(snapshotOf(baseObjects()))).toEqual([]);
    expect(unused(snapshotOf(objects))).toEqual(['healthy']);
  });

  it('finds none where pods or workloads could not be read', () => {
    const objects = baseObjects().filter(({ kind, metadata }) => kind !== 'Pod' || metadata.name !== 'happy');
    expect(unused(snapshotOf(objects, { denied: ['Pod'] }))).toEqual([]);
    expect(unused(snapshotOf(objects, { denied: ['StatefulSet'] }))).toEqual([]);
  });
});

describe('rows and status with usage', () => {
  const rowOf = (snapshot: Snapshot) =>
    surveyRows(snapshot, [{ kind: 'PersistentVolumeClaim', names: ['healthy'], namespace: 'shop' }], 'wide').answers[0]
      ?.rows[0];

  it('show what was measured, and who has measured it', () => {
    expect(rowOf(measured({ bytes: bytes(1) }))).toMatchObject({ usage: { source: 'P', bytes: { percent: 20 } } });
    expect(askStatus(measured({ bytes: bytes(5) }), everything).status.usage).toMatchObject({
      measured: 1,
      sources: ['P'],
      fullest: [{ claim: 'healthy', level: 'full', percent: 100 }],
    });
  });

  it('list it as unknown where it was asked for and not measured, and leave it out where it was not', () => {
    expect(rowOf(measured(undefined))?.unknown).toEqual(['usage']);
    expect(rowOf(snapshotOf(baseObjects()))?.unknown).toBeUndefined();
    expect(askStatus(snapshotOf(baseObjects()), everything).status.usage).toBeUndefined();
  });
});
