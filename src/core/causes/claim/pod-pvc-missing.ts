import type { Claim, Pod } from '../../kube/kinds.ts';
import { nearNames } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { absentClaimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { excessOf } from './quota-room.ts';
import type { Excess } from './quota-room.ts';

/** A pod names a claim that does not exist; no controller of Kubernetes creates it. */
export const podPvcMissing = absentClaimRule({
  cause: 'pod-pvc-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    for (const pod of c.expectation.pods.filter((candidate) => volumeNaming(candidate, c.name))) {
      if (c.lookup.state === 'missing') return explainMissing(c, pod);
      // Where claims cannot be read, the scheduler may still report the missing one.
      const said = new PodCase(c.ask, pod).schedulingMessage?.raw;
      if (said?.includes(`persistentvolumeclaim "${c.name}" not found`)) return explainMissing(c, pod, said);
    }
    return undefined;
  },
});

function volumeNaming(pod: Pod, claimName: string): string | undefined {
  return pod.spec?.volumes?.find((volume) => volume.persistentVolumeClaim?.claimName === claimName)?.name;
}

function explainMissing(c: ClaimCase, pod: Pod, said?: string): Explanation {
  const near = nearClaims(c);
  return {
    confidence: said === undefined ? 'certain' : 'likely',
    about: `${c.namespace}/${c.name}`,
    summary: `pod/${pod.metadata.name} uses pvc/${c.name}, which does not exist in namespace ${c.namespace}${hintText(c, near.names)}`,
    evidence: evidenceOf(c, pod, near.claims, said),
    fix: advise(c, pod, near.names),
  };
}

/** Claims of nearly that name in the namespace: their names by nearness, and themselves as they were listed. */
function nearClaims(c: ClaimCase): { readonly names: readonly string[]; readonly claims: readonly Claim[] } {
  const { items } = c.ask.list('PersistentVolumeClaim', c.namespace, 'which claims the namespace has');
  const names = nearNames(
    c.name,
    items.map(({ metadata }) => metadata.name),
  );
  return { names, claims: items.filter(({ metadata }) => names.includes(metadata.name)) };
}

function hintText(c: ClaimCase, near: readonly string[]): string {
  if (near.length > 0) return `; there is ${near.map((name) => `pvc/${name}`).join(', ')}`;
  const elsewhere = c.ask
    .seen('PersistentVolumeClaim')
    .filter(({ metadata }) => metadata.name === c.name && metadata.namespace !== c.namespace)
    .map(({ metadata }) => metadata.namespace ?? '');
  return elsewhere.length > 0
    ? `; namespace ${elsewhere.join(', ')} has one of that name, but a pod can use only claims of its own namespace`
    : '';
}

function evidenceOf(c: ClaimCase, pod: Pod, near: readonly Claim[], said?: string): Explanation['evidence'] {
  return [
    field(pod, `spec.volumes[${volumeNaming(pod, c.name) ?? ''}].persistentVolumeClaim.claimName`, c.name),
    said === undefined
      ? absent('PersistentVolumeClaim', c.name, c.namespace)
      : field(pod, 'status.conditions[PodScheduled].message', said),
    ...near.map((claim) => note(claim, `a near name, ${claim.status?.phase ?? 'no phase'}`)),
    ...fullQuotas(c).map(({ quota, key, used, hard }) =>
      field(quota, `status.used[${key}]`, `${used} of ${hard}: a new claim would be refused`),
    ),
  ];
}

/** Quotas, of those read already, that would refuse any new claim. */
function fullQuotas(c: ClaimCase): Excess[] {
  return c.ask
    .seen('ResourceQuota')
    .filter(({ metadata }) => metadata.namespace === c.namespace)
    .flatMap((quota) => excessOf(quota, { request: undefined, className: undefined, attributesClass: undefined }));
}

function advise(c: ClaimCase, pod: Pod, [nearest]: readonly string[]): Fix[] {
  const create = fix(
    `look which claims there are, and create pvc/${c.name}: the pod then goes on by itself`,
    `kubectl ${inNamespace(c.namespace)}get pvc`,
  );
  if (nearest === undefined) return [create];
  return [
    create,
    fix(
      `or see what makes the pod, and let it use pvc/${nearest}`,
      `kubectl ${inNamespace(c.namespace)}get pod ${shellWord(pod.metadata.name)} -o jsonpath='{.metadata.ownerReferences}'`,
    ),
  ];
}
