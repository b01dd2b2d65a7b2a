import type { Listing } from '../../graph/inquiry.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isOthersClaim } from '../../facts/pod/pod-case.ts';
import { controllerBehind, pvcProtection } from './finalizers.ts';
import { retainFix } from './volume-deletion.ts';

/**
 * The pods that keep a claim from being deleted (pvc_protection_controller podUsesPVC): those that have a node, in any
 * phase. A pod that owns the claim as an ephemeral volume no longer counts once the kubelet has shut it down.
 */
export function holdersOf(c: PresentClaim): Listing<Pod> {
  const { items, complete } = c.ask.podsUsing(c);
  return {
    items: items
      .filter((pod) => Boolean(pod.spec?.nodeName) && holds(pod, c))
      .sort((a, b) => compareText(a.metadata.name, b.metadata.name)),
    complete,
  };
}

function holds(pod: Pod, c: PresentClaim): boolean {
  const isMounted = (pod.spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === c.name);
  return isMounted || (!isShutDown(pod) && !isOthersClaim(pod, c.claim));
}

function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** What keeps the claim when its pods are gone. */
function otherFinalizersOf({ claim }: PresentClaim): readonly string[] {
  return (claim.metadata.finalizers ?? []).filter((finalizer) => finalizer !== pvcProtection);
}

/** What else keeps the claim when its pods are gone; begins with a semicolon, or is empty. */
export function whatIsLeft(c: PresentClaim): string {
  const [finalizer] = otherFinalizersOf(c);
  return finalizer === undefined
    ? ''
    : `; after that ${controllerBehind(finalizer)} still has to take ${finalizer} off`;
}

export function whatIsLeftFixes(c: PresentClaim): Fix[] {
  return otherFinalizersOf(c).length === 0
    ? []
    : [
        fix(
          'when the pods are gone: see what else holds the claim',
          `kubectl csi why pvc/${shellWord(c.name)} -n ${shellWord(c.namespace)}`,
        ),
      ];
}

/** Whether the data is deleted with the claim; unknown counts as yes. */
function losesData(c: PresentClaim): boolean {
  if (c.volumeName === '') return false;
  return c.volume?.state !== 'found' || c.volume.object.spec?.persistentVolumeReclaimPolicy !== 'Retain';
}

/** A deletion cannot be undone, but the volume can be kept. */
export function keepDataFixes(c: PresentClaim): Fix[] {
  if (c.volume?.state !== 'found' || c.volume.object.spec?.persistentVolumeReclaimPolicy !== 'Delete') return [];
  return [
    retainFix(c.volumeName, 'if the data is still needed: keep the volume, before the claim goes and takes it along'),
  ];
}

type Owner = NonNullable<ReturnType<typeof ownerOf>>;

/** How to stop the owners that would recreate a deleted pod. */
const stopCommands: Readonly<Record<string, (name: string) => string>> = {
  Deployment: (name) => `scale deployment ${name} --replicas=0`,
  StatefulSet: (name) => `scale statefulset ${name} --replicas=0`,
  ReplicationController: (name) => `scale replicationcontroller ${name} --replicas=0`,
  Job: (name) => `delete job ${name}`,
};

/** How to end what holds the claim: an owner first, since it would recreate its pods. */
export function releaseFixes(c: PresentClaim, pods: readonly Pod[]): Fix[] {
  const owners = ownersToStop(pods);
  const alone = pods.filter((pod) => !owners.has(ownerKey(ownerOf(pod))));
  const isAll =
    owners.size + Math.min(alone.length, 1) === 1 &&
    holdersOf(c).items.every((pod) => pods.includes(pod)) &&
    otherFinalizersOf(c).length === 0;
  const when = isAll ? 'then' : 'when nothing holds it any more';
  const releaseFix = (text: string, verb: string): Fix => {
    const command = `kubectl ${inNamespace(c.namespace)}${verb}`;
    return losesData(c)
      ? fix(`data-loss: ${text}; the claim goes ${when}, and its volume with it`, command, 'data-loss')
      : fix(text, command, 'disruptive');
  };
  return [
    ...[...owners.values()].map(({ kind, name }) =>
      releaseFix(
        `stop ${kind.toLowerCase()}/${name}, which would make its pods again`,
        stopCommands[kind]?.(shellWord(name)) ?? '',
      ),
    ),
    ...(alone.length > 0 ? [releaseFix(`delete ${countWords(alone)}`, deleteCommand(alone))] : []),
  ];
}

/** The owners of pods that have not ended, each once. */
function ownersToStop(pods: readonly Pod[]): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const pod of pods) {
    const owner = isFinished(pod) ? undefined : ownerOf(pod);
    if (owner && Object.hasOwn(stopCommands, owner.kind)) owners.set(ownerKey(owner), owner);
  }
  return owners;
}

function ownerKey(owner: Owner | undefined): string {
  return `${owner?.kind ?? ''}/${owner?.name ?? ''}`;
}

function countWords(pods: readonly Pod[]): string {
  return pods.length === 1 ? 'the pod' : `the ${pods.length} pods`;
}

function deleteCommand(pods: readonly Pod[]): string {
  const names = pods.slice(0, 20).map((pod) => shellWord(pod.metadata.name));
  return `delete pod ${names.join(' ')}`;
}

const mostNamed = 5;

export function nameSome(names: readonly string[]): string {
  return names.length <= mostNamed
    ? names.join(', ')
    : `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`;
}
