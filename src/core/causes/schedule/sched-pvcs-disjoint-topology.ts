import type { StorageClass, Volume } from '../../kube/kinds.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, nameAll, nameNodes, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { placedVolumes, reaches, zoneLabelsOf } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { moveVolumeFixes } from './move-volume.ts';
import { affinityEvidence, zoneEvidence } from './volume-place.ts';

/** Each volume has nodes of its own, and no node can use all of them (binder checkBoundClaims). */
export const schedPvcsDisjointTopology = podRule({
  cause: 'sched-pvcs-disjoint-topology',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const apart = findVolumesApart(p);
    if (!apart) return undefined;
    const [first, ...rest] = apart;
    return {
      summary:
        `No node can use all volumes of pod/${p.pod.metadata.name}: ` +
        `${apart.map(({ claim, nodes }) => `pvc/${claim.name} can only be used on ${nameNodes(nodes)}`).join(apart.length > 2 ? '; ' : ', and ')}.` +
        immediateText(p, apart),
      evidence: [placeEvidence(first), ...rest.map(placeEvidence), ...schedulerSaid(p)],
      fix: adviceFor(p, apart),
    };
  },
});

interface Place extends PlacedVolume {
  /** Nodes where the volume can be used. */
  readonly nodes: readonly NodeFit[];
}
type Places = readonly [Place, ...Place[]];

function findVolumesApart(p: PodCase): Places | undefined {
  if (p.isScheduled || (blames(p, storageTexts.nodeAffinity) === false && blames(p, storageTexts.zone) === false))
    return undefined;
  const placed = placedVolumes(p).filter(({ volume }) => isTied(volume));
  if (placed.length < 2) return undefined;
  const fits = fitNodes(p);
  if (!fits.complete) return undefined;
  const places = placed.map((member) => ({
    ...member,
    nodes: fits.items.filter(({ node }) => reaches(member.volume, node)),
  }));
  if (places.some(({ nodes }) => nodes.length === 0)) return undefined;
  if (fits.items.some((fit) => places.every(({ nodes }) => nodes.includes(fit)))) return undefined;
  const [first, ...rest] = places;
  const all: Places | undefined = first && [first, ...rest];
  return areAllApart(places) ? all : (findPairApart(places) ?? all);
}

/** No node can use two of them. */
function areAllApart(places: readonly Place[]): boolean {
  return places.every((one, index) =>
    places.slice(index + 1).every(({ nodes }) => !one.nodes.some((fit) => nodes.includes(fit))),
  );
}

function isTied(volume: Volume): boolean {
  return volume.spec?.nodeAffinity?.required !== undefined || zoneLabelsOf(volume).length > 0;
}

/** Two volumes without a common node, if there are such: two are easier to understand than all of them. */
function findPairApart(places: readonly Place[]): Places | undefined {
  for (const [index, one] of places.entries()) {
    const other = places.slice(index + 1).find(({ nodes }) => !one.nodes.some((fit) => nodes.includes(fit)));
    if (other) return [one, other];
  }
  return undefined;
}

function placeEvidence({ volume }: PlacedVolume): Evidence {
  return volume.spec?.nodeAffinity?.required ? affinityEvidence(volume) : zoneEvidence(volume);
}

/** The class that put the volumes apart, because it does not wait for the pod. */
function immediateClass(p: PodCase, places: Places): StorageClass | undefined {
  return places
    .map(({ volume }) => p.ask.graph.find('StorageClass', undefined, volume.spec?.storageClassName ?? ''))
    .find((storageClass) => storageClass && storageClass.volumeBindingMode !== 'WaitForFirstConsumer');
}

function immediateText(p: PodCase, places: Places): string {
  const storageClass = immediateClass(p, places);
  return storageClass
    ? ` StorageClass "${storageClass.metadata.name}" does not wait for the pod (Immediate), so each ` +
        'volume got its place without regard to the others.'
    : '';
}

function waitingClassText(p: PodCase, places: Places): string {
  const storageClass = immediateClass(p, places);
  return storageClass
    ? `This line creates a copy of StorageClass "${storageClass.metadata.name}" that waits for the pod ` +
        '(volumeBindingMode WaitForFirstConsumer): use it for the new claim, since it puts all new volumes ' +
        'of a pod in one place.'
    : 'A class with volumeBindingMode WaitForFirstConsumer puts all new volumes of a pod in one place.';
}

function waitingClassCommands(p: PodCase, places: Places): string[] {
  const storageClass = immediateClass(p, places);
  return storageClass ? [copyClassCommand(storageClass)] : [];
}

function waitingName({ metadata: { name } }: StorageClass): string {
  return `${name}-wait`;
}

function copyClassCommand(storageClass: StorageClass): string {
  const { name } = storageClass.metadata;
  const patch = {
    metadata: {
      name: waitingName(storageClass),
      uid: null,
      resourceVersion: null,
      creationTimestamp: null,
      annotations: null,
    },
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  return (
    `kubectl get storageclass ${shellWord(name)} -o yaml | kubectl patch --local -f - --type=merge -p ` +
    `${shellWord(JSON.stringify(patch))} -o yaml | kubectl create -f -`
  );
}

/** Claims that were created with a pod that never started hold no data; their old volumes are kept all the same. */
function recreateUnused(p: PodCase, places: Places): Fix[] {
  const storageClass = immediateClass(p, places);
  const claims = places.flatMap(({ claim: { claim }, volume }) => (claim ? [{ claim, volume }] : []));
  if (!storageClass || !places.every((place) => isProvisioned(place) && isUnused(p, place))) return [];
  const ready = waitingTwin(p, storageClass);
  const className = ready?.metadata.name ?? waitingName(storageClass);
  const names = nameAll(claims.map(({ claim }) => `pvc/${claim.metadata.name}`));
  const owner = ownerOf(p.pod);
  const template =
    owner?.kind === 'StatefulSet'
      ? ` Name the class in volumeClaimTemplates of statefulset/${owner.name}, too, when you next recreate it.`
      : '';
  return [
    steps(
      `Recreate ${names} with ${ready ? `StorageClass "${className}", which` : `a copy of StorageClass "${storageClass.metadata.name}" that`} waits for the pod ` +
        `(WaitForFirstConsumer). They were created together with pod/${p.pod.metadata.name}, which never started, so ` +
        'they most likely hold no data; the old volumes are kept (Retain) until you delete them. The scheduler then chooses one ' +
        `place, all volumes are created there, and the pod starts.${template}`,
      [
        ...(ready ? [] : [copyClassCommand(storageClass)]),
        ...claims.flatMap(({ claim, volume }) => [
          patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
          ...recreateCommands(claim, { spec: { storageClassName: className, volumeName: null } }),
        ]),
      ],
      'disruptive',
    ),
  ];
}

/** A class that differs from this one only in that it waits for the pod. */
function waitingTwin({ ask }: PodCase, storageClass: StorageClass): StorageClass | undefined {
  const settings = ({ provisioner, parameters = {} }: StorageClass): string =>
    JSON.stringify([provisioner, Object.entries(parameters).sort()]);
  return ask
    .seen('StorageClass')
    .find((other) => other.volumeBindingMode === 'WaitForFirstConsumer' && settings(other) === settings(storageClass));
}

const togetherSeconds = 300;

/** Created for the claim: a volume that was made by hand is not replaced by another class. */
function isProvisioned({ claim, volume }: PlacedVolume): boolean {
  return (
    volume.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined &&
    claim.claim?.spec?.selector === undefined
  );
}

/** No attachment shows that it was used, and it is no older than the pod, which has no node yet. */
function isUnused(p: PodCase, { claim, volume }: PlacedVolume): boolean {
  const isAttached = p.ask
    .seen('VolumeAttachment')
    .some(({ spec }) => spec?.source?.persistentVolumeName === volume.metadata.name);
  const isShared = p.ask.graph.podsUsing(claim).some((pod) => pod.metadata.name !== p.pod.metadata.name);
  return !isAttached && !isShared && Math.abs(claim.ageSeconds - p.ageSeconds) <= togetherSeconds;
}

/** One volume has to follow the other: the smallest is copied most easily. */
function adviceFor(p: PodCase, places: Places): Fix[] {
  const nodes = fitNodes(p).items.map(({ node }) => node);
  const smallest = [...places].sort((a, b) =>
    compareQuantities(a.volume.spec?.capacity?.['storage'], b.volume.spec?.capacity?.['storage']),
  );
  const [move] = smallest.flatMap((place) => moveVolumeFixes(p, place, nodes, 'followsOthers'));
  const names = places.map(({ claim }) => `pvc/${claim.name}`).join(' and ');
  const recreated = recreateUnused(p, places);
  if (recreated.length > 0) return recreated;
  return [
    ...(move ? [move] : []),
    steps(
      `${move ? 'Or move' : 'Move'} the data of one of ${names} to a new claim where the other can be used, ` +
        `and let pod/${p.pod.metadata.name} use that; claims that hold no data yet can be deleted and recreated ` +
        `instead. ${waitingClassText(p, places)}`,
      waitingClassCommands(p, places),
    ),
  ];
}
