import { nearNames } from '../../kube/names.ts';
import type { Pod } from '../../kube/kinds.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { absentClaimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { excessOf } from './quota-room.ts';

/** A pod names a claim that nobody has made; nothing in Kubernetes makes it by itself. */
export const podPvcMissing = absentClaimRule({
  cause: 'pod-pvc-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    for (const pod of c.expectation.pods.filter((candidate) => volumeNaming(candidate, c.name))) {
      if (c.lookup.state === 'missing') return explainMissing(c, pod);
      // Where claims may not be read, the scheduler may still have named the missing one.
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
  const claims = c.ask.list('PersistentVolumeClaim', c.namespace, 'which claims the namespace has').items;
  const near = nearNames(
    c.name,
    claims.map(({ metadata }) => metadata.name),
  );
  const elsewhere = c.ask
    .seen('PersistentVolumeClaim')
    .filter(({ metadata }) => metadata.name === c.name && metadata.namespace !== c.namespace)
    .map(({ metadata }) => metadata.namespace ?? '');
  const hint =
    near.length > 0
      ? `; there is ${near.map((name) => `pvc/${name}`).join(', ')}`
      : elsewhere.length > 0
        ? `; namespace ${elsewhere.join(', ')} has one of that name, but a pod can use only claims of its own namespace`
        : '';
  const full = c.ask
    .seen('ResourceQuota')
    .filter(({ metadata }) => metadata.namespace === c.namespace)
    .flatMap((quota) => excessOf(quota, { request: undefined, className: undefined, attributesClass: undefined }));
  return {
    confidence: said === undefined ? 'certain' : 'likely',
    about: `${c.namespace}/${c.name}`,
    summary: `pod/${pod.metadata.name} uses pvc/${c.name}, which does not exist in namespace ${c.namespace}${hint}`,
    evidence: [
      field(pod, `spec.volumes[${volumeNaming(pod, c.name) ?? ''}].persistentVolumeClaim.claimName`, c.name),
      said === undefined
        ? absent('PersistentVolumeClaim', c.name, c.namespace)
        : field(pod, 'status.conditions[PodScheduled].message', said),
      ...claims
        .filter(({ metadata }) => near.includes(metadata.name))
        .map((claim) => note(claim, `a near name, ${claim.status?.phase ?? 'no phase'}`)),
      ...full.map(({ quota, key, used, hard }) =>
        field(quota, `status.used[${key}]`, `${used} of ${hard}: a new claim would be refused`),
      ),
    ],
    fix: [
      fix(
        `look which claims there are, and create pvc/${c.name}: the pod then goes on by itself`,
        `kubectl ${inNamespace(c.namespace)}get pvc`,
      ),
      ...(near[0] === undefined
        ? []
        : [
            fix(
              `or see what makes the pod, and let it use pvc/${near[0]}`,
              `kubectl ${inNamespace(c.namespace)}get pod ${shellWord(pod.metadata.name)} -o jsonpath='{.metadata.ownerReferences}'`,
            ),
          ]),
    ],
  };
}
