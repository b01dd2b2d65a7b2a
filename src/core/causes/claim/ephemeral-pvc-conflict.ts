import type { Claim, Container, Pod, PodVolume } from '../../kube/kinds.ts';
import type { Fix, Stage } from '../../report/report.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isOthersClaim } from '../../facts/pod/pod-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation, PodRule } from '../lib/rule.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';

const graceSeconds = 30;
const notOwnerText = /PVC (?:\S+\/)?(\S+) was not created for pod \S+/i;

/**
 * For the pod the claim is as good as missing; for the claim itself nothing is wrong, and its pod stays without a node.
 */
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
    summary:
      `Ephemeral volume "${volumeOf(p.pod, name)?.name ?? ''}" of pod/${p.pod.metadata.name} needs a claim ` +
      `named ${name} that belongs to the pod. ` +
      `pvc/${name} in namespace ${claim.metadata.namespace ?? ''} already exists and ` +
      `${ownerText(p.pod, claim)}.`,
    evidence: evidenceOf(p, claim),
    fix: adviseTaken(p, claim),
  };
}

function ownerText(pod: Pod, claim: Claim): string {
  const owners = claim.metadata.ownerReferences ?? [];
  if (belongsToFormerPod(pod, claim)) return 'belongs to an earlier pod of the same name';
  if (owners.some(({ uid }) => uid === (pod.metadata.uid ?? '')))
    return 'has the pod as an owner, but not as its controller';
  if (owners.length === 0) return 'belongs to no pod';
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
    summary:
      `Ephemeral volume "${volumeOf(p.pod, name)?.name ?? ''}" of pod/${p.pod.metadata.name} needs a claim ` +
      `named ${name} that belongs to the pod. ` +
      `The scheduler reports that pvc/${name} already exists and does not.`,
    evidence: [field(p.pod, 'status.conditions[PodScheduled].message', said)],
    fix: renameVolume(p, name),
  };
}

/** The claim of an ephemeral volume is called POD-VOLUME (pkg/controller/volume/ephemeral). */
function volumeOf({ metadata, spec }: Pod, claimName: string): PodVolume | undefined {
  return spec?.volumes?.find(({ name = '', ephemeral }) => ephemeral && `${metadata.name}-${name}` === claimName);
}

function adviseTaken(p: PodCase, claim: Claim): Fix[] {
  const rename = renameVolume(p, claim.metadata.name);
  if (belongsToFormerPod(p.pod, claim)) return [...rename, removeLeftover(claim)];
  return [...rename, ...useClaim(p.pod, claim), ...(claim.spec?.volumeName ? [] : [deleteUnbound(claim)])];
}

/** Another volume name gives the claim another name; the existing claim stays untouched. */
function renameVolume(p: PodCase, claimName: string): Fix[] {
  const { pod } = p;
  const volume = volumeOf(pod, claimName);
  const { name: old, ephemeral } = volume ?? {};
  if (old === undefined || ephemeral === undefined) return [];
  const name = freeName(p, old);
  const mounted = (containers: readonly Container[] = []): object[] =>
    containers.flatMap(({ name: container, volumeMounts = [], volumeDevices = [] }) => {
      const mounts = volumeMounts.filter((mount) => mount.name === old).map(({ mountPath }) => ({ mountPath, name }));
      const devices = volumeDevices.filter((device) => device.name === old);
      if (mounts.length === 0 && devices.length === 0) return [];
      return [
        {
          name: container,
          ...(mounts.length > 0 && { volumeMounts: mounts }),
          ...(devices.length > 0 && { volumeDevices: devices.map(({ devicePath }) => ({ devicePath, name })) }),
        },
      ];
    });
  const [containers, initContainers] = [mounted(pod.spec?.containers), mounted(pod.spec?.initContainers)];
  const spec = {
    volumes: [
      { name: old, $patch: 'delete' },
      { name, ephemeral },
    ],
    ...(containers.length > 0 && { containers }),
    ...(initContainers.length > 0 && { initContainers }),
  };
  return [
    changePodFix(
      pod,
      spec,
      (where) =>
        `Rename volume "${old}" to "${name}" ${where}. ` +
        `pvc/${pod.metadata.name}-${name} is then created for the pod, and pvc/${claimName} stays untouched.`,
    ),
  ];
}

function freeName({ ask, pod }: PodCase, old: string): string {
  const taken = (name: string): boolean =>
    pod.spec?.volumes?.some((volume) => volume.name === name) === true ||
    ask.graph.find('PersistentVolumeClaim', pod.metadata.namespace, `${pod.metadata.name}-${name}`) !== undefined;
  for (let number = 2; ; number += 1) if (!taken(`${old}-${number}`)) return `${old}-${number}`;
}

function useClaim(pod: Pod, { metadata: { name: claimName } }: Claim): Fix[] {
  const volume = volumeOf(pod, claimName);
  if (volume?.name === undefined) return [];
  return [
    changePodFix(
      pod,
      { volumes: [{ name: volume.name, ephemeral: null, persistentVolumeClaim: { claimName } }] },
      (where) =>
        `If the pod should use the existing volume, name pvc/${claimName} as an ordinary claim ${where}. ` +
        'The pod then starts with its data.',
    ),
  ];
}

/** What a former pod left should be gone already; an ephemeral volume lives no longer than its pod. */
function removeLeftover(claim: Claim): Fix {
  const { deletionTimestamp, finalizers = [], name } = claim.metadata;
  if (deletionTimestamp !== undefined)
    return steps(
      `Wait until pvc/${name} is gone: it is being deleted and held by ` +
        `${finalizers.join(', ') || 'no finalizer'}. The claim of the new pod is then created at once.`,
      [`kubectl ${inNamespace(claim.metadata.namespace)}wait --for=delete ${shellWord(`pvc/${name}`)} --timeout=5m`],
    );
  return steps(
    'If nothing of the earlier pod is needed, delete its claim, which the garbage collector has not done. ' +
      'The claim of the new pod is then created at once.',
    [saveCommand(claim), kubectl('delete', claim)],
    claim.spec?.volumeName ? 'data-loss' : 'safe',
  );
}

function deleteUnbound(claim: Claim): Fix {
  return steps(
    `If pvc/${claim.metadata.name} is not needed, delete it: it has no volume yet, so it holds no data. ` +
      'The claim of the pod is then created at once.',
    [saveCommand(claim), kubectl('delete', claim)],
  );
}
