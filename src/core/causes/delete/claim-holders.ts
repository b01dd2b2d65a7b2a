import type { Listing } from '../../graph/inquiry.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { patchVolume } from '../bind/closest-volume.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isOthersClaim } from '../../facts/pod/pod-case.ts';
import { controllerBehind, pvcProtection } from './finalizers.ts';

/**
 * The pods for whose sake a claim is kept (pvc_protection_controller podUsesPVC): those that have a node, whatever
 * their phase. A pod that owns the claim as an ephemeral volume lets go of it once the kubelet is done with it.
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

/** What holds the claim besides its pods: it does not go with them. */
export function otherFinalizersOf({ claim }: PresentClaim): readonly string[] {
  return (claim.metadata.finalizers ?? []).filter((finalizer) => finalizer !== pvcProtection);
}

/** What is left to be done when the pods have let go of the claim; begins with a semicolon, or is empty. */
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

/** Whether the data goes with the claim; unknown counts as yes. */
export function losesData(c: PresentClaim): boolean {
  if (c.volumeName === '') return false;
  return c.volume?.state !== 'found' || c.volume.object.spec?.persistentVolumeReclaimPolicy !== 'Retain';
}

/** A deletion cannot be taken back, but the volume can be kept. */
export function keepDataFixes(c: PresentClaim): Fix[] {
  if (c.volume?.state !== 'found' || c.volume.object.spec?.persistentVolumeReclaimPolicy !== 'Delete') return [];
  return [
    fix(
      'if the data is still needed: keep the volume, before the claim goes and takes it along',
      patchVolume(c.volumeName, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
    ),
  ];
}

/** What makes a pod again when it is deleted, and how it is stopped. */
const stopCommands: Readonly<Record<string, (name: string) => string>> = {
  Deployment: (name) => `scale deployment ${name} --replicas=0`,
  StatefulSet: (name) => `scale statefulset ${name} --replicas=0`,
  ReplicationController: (name) => `scale replicationcontroller ${name} --replicas=0`,
  Job: (name) => `delete job ${name}`,
};
const mostNamed = 5;

/** How to end what holds the claim: the owner first, since it would make the pod again. */
export function releaseFixes(c: PresentClaim, pods: readonly Pod[]): Fix[] {
  const isLoss = losesData(c);
  const risk = isLoss ? 'data-loss' : 'disruptive';
  const prefix = isLoss ? 'data-loss: ' : '';
  const owners = new Map(
    pods.flatMap((pod) => {
      const owner = isFinished(pod) ? undefined : ownerOf(pod);
      return owner && Object.hasOwn(stopCommands, owner.kind) ? [[`${owner.kind}/${owner.name}`, owner] as const] : [];
    }),
  );
  const alone = pods.filter((pod) => !owners.has(`${ownerOf(pod)?.kind ?? ''}/${ownerOf(pod)?.name ?? ''}`));
  const isAll =
    owners.size + Math.min(alone.length, 1) === 1 &&
    holdersOf(c).items.every((pod) => pods.includes(pod)) &&
    otherFinalizersOf(c).length === 0;
  const then = isLoss
    ? `; the claim goes ${isAll ? 'then' : 'when nothing holds it any more'}, and its volume with it`
    : '';
  return [
    ...[...owners.values()].map(({ kind, name }) =>
      fix(
        `${prefix}stop ${kind.toLowerCase()}/${name}, which would make its pods again${then}`,
        `kubectl ${inNamespace(c.namespace)}${stopCommands[kind]?.(shellWord(name)) ?? ''}`,
        risk,
      ),
    ),
    ...(alone.length > 0
      ? [
          fix(
            `${prefix}delete ${alone.length === 1 ? 'the pod' : `the ${alone.length} pods`}${then}`,
            `kubectl ${inNamespace(c.namespace)}delete pod ${alone
              .slice(0, 20)
              .map((pod) => shellWord(pod.metadata.name))
              .join(' ')}`,
            risk,
          ),
        ]
      : []),
  ];
}

export function nameSome(names: readonly string[]): string {
  return names.length <= mostNamed
    ? names.join(', ')
    : `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`;
}
