import type { Claim, Pod } from '../../kube/kinds.ts';
import type { Stage } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isOthersClaim } from '../../facts/pod/pod-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation, PodRule } from '../lib/rule.ts';

const notOwnerText = /PVC (?:\S+\/)?(\S+) was not created for pod \S+/i;

/** Asked about the pod, the claim is as good as missing; asked about the claim, it is sound, and its pod stays without a node. */
export const ephemeralPvcConflict = ruleAt('claim');
export const ephemeralPvcConflictOfClaim = ruleAt('schedule');

function ruleAt(stage: Stage): PodRule {
  return podRule({ cause: 'ephemeral-pvc-conflict', stage, severity: 'blocking', explain: explainConflict });
}

/** Both the ephemeral controller and the scheduler refuse a claim whose controller is not the pod (VolumeIsForPod). */
function explainConflict(p: PodCase): Explanation | undefined {
  for (const { claim, lookup, name } of p.claims) {
    if (claim && isOthersClaim(p.pod, claim)) return isLeavingSoon(p, claim) ? undefined : explainTaken(p, claim);
    const said = lookup.state === 'unknown' ? p.schedulingMessage?.raw : undefined;
    if (said !== undefined && notOwnerText.exec(said)?.[1] === name)
      return { ...explainUnseen(p, name), evidence: [field(p.pod, 'status.conditions[PodScheduled].message', said)] };
  }
  return undefined;
}

/** A pod made again under its old name meets the old claim for a moment, until that is collected. */
function isLeavingSoon(p: PodCase, claim: Claim): boolean {
  return isFormerPods(p.pod, claim) && p.ageSeconds < 30;
}

function isFormerPods(pod: Pod, claim: Claim): boolean {
  return (claim.metadata.ownerReferences ?? []).some(
    (owner) => owner.controller === true && owner.kind === 'Pod' && owner.name === pod.metadata.name,
  );
}

function explainTaken(p: PodCase, claim: Claim): Explanation {
  const { name: podName, uid = '' } = p.pod.metadata;
  const { name, namespace, ownerReferences = [], deletionTimestamp } = claim.metadata;
  const owners = ownerReferences.map(
    (owner) =>
      `${(owner.kind ?? '').toLowerCase()}/${owner.name ?? ''} (uid ${owner.uid ?? ''}${owner.controller === true ? '' : ', not as controller'})`,
  );
  const former = isFormerPods(p.pod, claim);
  const isOwner = ownerReferences.some((owner) => owner.uid === uid);
  const others = ownerReferences.map((owner) => `${(owner.kind ?? '').toLowerCase()}/${owner.name ?? ''}`);
  const whose = former
    ? 'belongs to an earlier pod of the same name'
    : isOwner
      ? 'has the pod as an owner, but not as its controller'
      : owners.length > 0
        ? `belongs to ${others.join(', ')}`
        : 'was made by someone else';
  return {
    summary: `the ephemeral volume of pod/${podName} needs a claim of its own named ${name}, and pvc/${name} exists already and ${whose}`,
    evidence: [
      field(claim, 'metadata.ownerReferences', owners.join('; ') || 'none'),
      field(p.pod, 'metadata.uid', uid),
      ...(deletionTimestamp === undefined ? [] : [field(claim, 'metadata.deletionTimestamp', deletionTimestamp)]),
      ...(p.schedulingMessage
        ? [field(p.pod, 'status.conditions[PodScheduled].message', p.schedulingMessage.raw)]
        : []),
    ],
    fix: [
      fix(
        'see what makes the pod, and rename the pod or its volume there, so that the claim gets another name',
        `kubectl ${inNamespace(namespace)}get pod ${shellWord(podName)} -o jsonpath='{.metadata.ownerReferences}'`,
      ),
      ...(former
        ? [
            fix(
              'the garbage collector should remove the old claim by itself: see what holds it',
              `kubectl ${inNamespace(namespace)}describe pvc ${shellWord(name)}`,
            ),
          ]
        : []),
      claim.spec?.volumeName
        ? fix(
            `data-loss: or delete pvc/${name}, if nobody needs what is on it`,
            `kubectl ${inNamespace(namespace)}delete pvc ${shellWord(name)}`,
            'data-loss',
          )
        : fix(
            `or delete pvc/${name}, which has no volume yet and so holds no data`,
            `kubectl ${inNamespace(namespace)}delete pvc ${shellWord(name)}`,
            'disruptive',
          ),
    ],
  };
}

function explainUnseen(p: PodCase, name: string): Omit<Explanation, 'evidence'> {
  const { namespace, name: podName } = p.pod.metadata;
  return {
    confidence: 'likely',
    summary: `the ephemeral volume of pod/${podName} needs a claim of its own named ${name}, and pvc/${name} exists already without belonging to the pod`,
    fix: [
      fix(
        'see what makes the pod, and rename the pod or its volume there, so that the claim gets another name',
        `kubectl ${inNamespace(namespace)}get pod ${shellWord(podName)} -o jsonpath='{.metadata.ownerReferences}'`,
      ),
    ],
  };
}
