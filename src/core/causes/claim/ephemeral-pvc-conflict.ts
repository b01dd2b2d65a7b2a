import type { Claim, Pod } from '../../kube/kinds.ts';
import type { Fix, Stage } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isOthersClaim } from '../../facts/pod/pod-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation, PodRule } from '../lib/rule.ts';

const graceSeconds = 30;
const notOwnerText = /PVC (?:\S+\/)?(\S+) was not created for pod \S+/i;

/** For the pod the claim is as good as missing; for the claim itself nothing is wrong, and its pod stays without a node. */
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
    if (said !== undefined && notOwnerText.exec(said)?.[1] === name) return explainUnseen(p, name, said);
  }
  return undefined;
}

/** A pod that is recreated under its old name meets the old claim until the garbage collector has removed it. */
function isLeavingSoon(p: PodCase, claim: Claim): boolean {
  return belongsToFormerPod(p.pod, claim) && p.ageSeconds < graceSeconds;
}

function belongsToFormerPod(pod: Pod, claim: Claim): boolean {
  return (claim.metadata.ownerReferences ?? []).some(
    (owner) => owner.controller === true && owner.kind === 'Pod' && owner.name === pod.metadata.name,
  );
}

function explainTaken(p: PodCase, claim: Claim): Explanation {
  const { name } = claim.metadata;
  return {
    summary: `the ephemeral volume of pod/${p.pod.metadata.name} needs a claim of its own named ${name}, and pvc/${name} exists already and ${ownerText(p.pod, claim)}`,
    evidence: evidenceOf(p, claim),
    fix: [renamePod(p.pod), ...(belongsToFormerPod(p.pod, claim) ? [findHolder(claim)] : []), deleteClaim(claim)],
  };
}

function ownerText(pod: Pod, claim: Claim): string {
  const owners = claim.metadata.ownerReferences ?? [];
  if (belongsToFormerPod(pod, claim)) return 'belongs to an earlier pod of the same name';
  if (owners.some(({ uid }) => uid === (pod.metadata.uid ?? '')))
    return 'has the pod as an owner, but not as its controller';
  if (owners.length === 0) return 'was made by someone else';
  return `belongs to ${owners.map(({ kind = '', name = '' }) => `${kind.toLowerCase()}/${name}`).join(', ')}`;
}

function evidenceOf(p: PodCase, claim: Claim): Explanation['evidence'] {
  const { ownerReferences = [], deletionTimestamp } = claim.metadata;
  const owners = ownerReferences.map(
    ({ kind = '', name = '', uid = '', controller }) =>
      `${kind.toLowerCase()}/${name} (uid ${uid}${controller === true ? '' : ', not as controller'})`,
  );
  return [
    field(claim, 'metadata.ownerReferences', owners.join('; ') || 'none'),
    field(p.pod, 'metadata.uid', p.pod.metadata.uid ?? ''),
    ...(deletionTimestamp === undefined ? [] : [field(claim, 'metadata.deletionTimestamp', deletionTimestamp)]),
    ...(p.schedulingMessage ? [field(p.pod, 'status.conditions[PodScheduled].message', p.schedulingMessage.raw)] : []),
  ];
}

/** Where claims cannot be read, the scheduler still reports the conflict. */
function explainUnseen(p: PodCase, name: string, said: string): Explanation {
  return {
    confidence: 'likely',
    summary: `the ephemeral volume of pod/${p.pod.metadata.name} needs a claim of its own named ${name}, and pvc/${name} exists already without belonging to the pod`,
    evidence: [field(p.pod, 'status.conditions[PodScheduled].message', said)],
    fix: [renamePod(p.pod)],
  };
}

function renamePod({ metadata }: Pod): Fix {
  return fix(
    'see what makes the pod, and rename the pod or its volume there, so that the claim gets another name',
    `kubectl ${inNamespace(metadata.namespace)}get pod ${shellWord(metadata.name)} -o jsonpath='{.metadata.ownerReferences}'`,
  );
}

function findHolder({ metadata }: Claim): Fix {
  return fix(
    'the garbage collector should remove the old claim by itself: see what holds it',
    `kubectl ${inNamespace(metadata.namespace)}describe pvc ${shellWord(metadata.name)}`,
  );
}

function deleteClaim({ metadata: { namespace, name }, spec }: Claim): Fix {
  const command = `kubectl ${inNamespace(namespace)}delete pvc ${shellWord(name)}`;
  return spec?.volumeName
    ? fix(`data-loss: or delete pvc/${name}, if nobody needs what is on it`, command, 'data-loss')
    : fix(`or delete pvc/${name}, which has no volume yet and so holds no data`, command, 'disruptive');
}
