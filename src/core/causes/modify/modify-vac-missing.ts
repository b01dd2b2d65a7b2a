import { nearestName } from '../../kube/names.ts';
import { newestMatch } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { absent, eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import { mergePatch } from '../expand/expansion.ts';
import { modificationOf, modifyEvidence } from './modification.ts';

interface MissingClass {
  readonly name: string;
  /** The classes were read, and it is not among them. */
  readonly isProven: boolean;
  /** The resizer's event that it did not find the class. */
  readonly said: KubeEvent | undefined;
}

/** external-resizer getTargetVAC: without the class the change stays Pending. */
export const modifyVacMissing = claimRule({
  cause: 'modify-vac-missing',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const missing = findMissingClass(c);
    if (!missing) return undefined;
    const { name, isProven, said } = missing;
    const near = nearestName(
      name,
      c.ask.seen('VolumeAttributesClass').map(({ metadata }) => metadata.name),
    );
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: name,
      summary: `attributes class ${name} does not exist${near ? `; did you mean ${near}?` : ''}`,
      evidence: [
        ...modifyEvidence(c),
        ...(isProven ? [absent('VolumeAttributesClass', name)] : []),
        ...(said ? [eventSaid(c.claim, said)] : []),
      ],
      fix: fixesFor(c, name, near),
    };
  },
});

function findMissingClass(c: PresentClaim): MissingClass | undefined {
  const { wanted, target, state } = modificationOf(c);
  // A change that may still be in progress is finished first, with its own class.
  const names = [...new Set([wanted, state === 'InProgress' ? target : ''])].filter((name) => name !== '');
  for (const name of names) {
    const lookup = c.ask.get('VolumeAttributesClass', undefined, name, `whether attributes class ${name} exists`);
    const found = newestMatch(c.events.items, 'VolumeModifyFailed', /VAC "([^"]+)" does not exist/);
    const said = found?.match[1] === name ? found.event : undefined;
    // The resizer sets Pending only when it did not find the class.
    const isTold = state === 'Pending' || (said !== undefined && state !== 'InProgress');
    if (lookup.state === 'missing') return { name, isProven: true, said };
    if (lookup.state === 'unknown' && isTold) return { name, isProven: false, said };
  }
  return undefined;
}

function fixesFor(c: PresentClaim, name: string, near: string | undefined): Fix[] {
  return [
    fix(
      `create attributes class ${name}; a resizer that does not look again after that (v1.14.0 does not) has to be restarted`,
      'kubectl get volumeattributesclass',
    ),
    fix(
      'or name an existing one in the claim',
      near
        ? `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type=merge -p ${mergePatch({ spec: { volumeAttributesClassName: near } })}`
        : `kubectl ${inNamespace(c.namespace)}edit pvc ${shellWord(c.name)}`,
    ),
  ];
}
