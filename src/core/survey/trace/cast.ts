import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController, SidecarRole } from '../../facts/driver/drivers.ts';
import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import { findSnapshotController } from '../../facts/snapshot/snapshot-controller.ts';
import type { SnapshotController } from '../../facts/snapshot/snapshot-controller.ts';
import { findNodePlugin } from '../../facts/driver/node-plugin.ts';
import type { NodePlugin } from '../../facts/driver/node-plugin.ts';
import { ClaimCase } from '../../facts/claim/claim-case.ts';
import { isExpanding, isModifying } from '../../journey/claim-growth.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { attachmentsOf, volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { Attachment, CsiDriver, CsiNode, Node, Pod, Volume } from '../../kube/kinds.ts';
import { driverOfInTree } from '../../kube/in-tree.ts';
import { shortNameOf } from '../../kube/resources.ts';
import type { TargetRef } from '../../kube/selection.ts';
import { parseTime } from '../../kube/time.ts';

/** One node on which the volume is used, or should be. */
export interface Place {
  readonly node: string;
  readonly pod?: PodCase;
  /** undefined: there is never one for this volume. */
  readonly attachment: Lookup<Attachment> | undefined;
  readonly nodeObject: Lookup<Node>;
  readonly csiNode: Lookup<CsiNode> | undefined;
  readonly plugin: NodePlugin | undefined;
}

/** All that has a part in the life of one volume. */
export interface VolumeCast {
  readonly claim: ClaimCase | undefined;
  readonly volume: Lookup<Volume> | undefined;
  /** The one that was asked about, those that wait for the volume, and the others, oldest first; of very many only the first. */
  readonly pods: readonly PodCase[];
  readonly driver: string | undefined;
  readonly driverObject: Lookup<CsiDriver> | undefined;
  readonly places: readonly Place[];
  readonly controllers: readonly DriverController[];
}

export interface Cast {
  readonly target: TargetRef;
  readonly ask: Inquiry;
  /** The pod that was asked about; it may have several volumes. */
  readonly pod?: PodCase;
  readonly volumes: readonly VolumeCast[];
  readonly snapshot?: SnapshotCase;
  readonly snapshotController?: SnapshotController;
  readonly snapshotter?: DriverController;
}

/** Who belongs to the target. Nothing found is a cast too: then the diagnosis says what is missing. */
export function castOf(ask: Inquiry, target: TargetRef): Cast {
  const namespace = target.namespace ?? '';
  const needed = `whether ${shortNameOf(target.kind)}/${target.name} exists`;
  switch (target.kind) {
    case 'Pod': {
      const pod = ask.get('Pod', namespace, target.name, needed);
      if (pod.state !== 'found') return { target, ask, volumes: [] };
      const subject = new PodCase(ask, pod.object);
      return {
        target,
        ask,
        pod: subject,
        volumes: subject.claims.map((claim) =>
          castOfClaim(
            ask,
            claim,
            [subject, ...podsOf(ask, claim).filter((other) => other.pod !== subject.pod)].slice(0, mostPods),
          ),
        ),
      };
    }
    case 'PersistentVolume': {
      const volume = ask.get('PersistentVolume', undefined, target.name, needed);
      return { target, ask, volumes: [castOfVolume(ask, volume)] };
    }
    case 'VolumeAttachment': {
      const attachment = ask.get('VolumeAttachment', undefined, target.name, needed);
      const name = attachment.state === 'found' ? attachment.object.spec?.source?.persistentVolumeName : undefined;
      const volume = name
        ? ask.get('PersistentVolume', undefined, name, `which volume volumeattachment/${target.name} is about`)
        : undefined;
      return {
        target,
        ask,
        volumes: [castOfVolume(ask, volume, attachment.state === 'found' ? attachment.object : undefined)],
      };
    }
    case 'VolumeSnapshot':
    case 'VolumeSnapshotContent':
      return castOfSnapshot(ask, target);
    default: {
      const claim = new ClaimCase(ask, namespace, target.name);
      return { target, ask, volumes: [castOfClaim(ask, claim, podsOf(ask, claim).slice(0, mostPods))] };
    }
  }
}

function castOfSnapshot(ask: Inquiry, target: TargetRef): Cast {
  const kind = target.kind === 'VolumeSnapshot' ? 'VolumeSnapshot' : 'VolumeSnapshotContent';
  const lookup = ask.get(kind, target.namespace, target.name, `whether ${shortNameOf(kind)}/${target.name} exists`);
  if (lookup.state !== 'found') return { target, ask, volumes: [] };
  const snapshot = new SnapshotCase(ask, lookup.object as VolumeSnapshot | SnapshotContent);
  const { claim, driver } = snapshot;
  const volumes = claim
    ? [
        {
          claim,
          volume: volumeOfClaim(claim),
          pods: [],
          driver: undefined,
          driverObject: undefined,
          places: [],
          controllers: [],
        },
      ]
    : [];
  return {
    target,
    ask,
    volumes,
    snapshot,
    snapshotController: findSnapshotController(ask),
    ...(driver !== undefined && { snapshotter: findController(ask, driver, 'snapshotter') }),
  };
}

/** A volume leads to its claim, and the claim to the pods. */
function castOfVolume(ask: Inquiry, volume: Lookup<Volume> | undefined, attachment?: Attachment): VolumeCast {
  const reference = volume?.state === 'found' ? volume.object.spec?.claimRef : undefined;
  if (reference?.name && reference.namespace !== undefined) {
    const claim = new ClaimCase(ask, reference.namespace, reference.name);
    const isItsOwn =
      claim.claim !== undefined && (reference.uid === undefined || reference.uid === claim.claim.metadata.uid);
    if (isItsOwn) return castOfClaim(ask, claim, podsOf(ask, claim).slice(0, mostPods), volume, attachment);
  }
  const driver = volume?.state === 'found' ? servingDriver(volume.object) : attachment?.spec?.attacher;
  const attachments = attachment
    ? [attachment]
    : volume?.state === 'found'
      ? allAttachmentsOf(ask, volume.object.metadata.name)
      : [];
  return {
    claim: undefined,
    volume,
    pods: [],
    driver,
    driverObject: driverObjectOf(ask, driver),
    places: attachments.map((each) =>
      placeOf(ask, each.spec?.nodeName ?? '', driver, { state: 'found', object: each }),
    ),
    controllers: controllersOf(ask, driver, [
      volume?.state === 'found' && isMadeByDriver(volume.object) ? 'provisioner' : undefined,
      attachments.length > 0 ? 'attacher' : undefined,
    ]),
  };
}

function castOfClaim(
  ask: Inquiry,
  claim: ClaimCase,
  pods: readonly PodCase[],
  known?: Lookup<Volume>,
  attachment?: Attachment,
): VolumeCast {
  const volume = known ?? volumeOfClaim(claim);
  const object = volume?.state === 'found' ? volume.object : undefined;
  const asked = claim.askedProvisioner ?? claim.provisioner;
  const driver =
    (object && servingDriver(object)) ??
    (volume === undefined && asked !== undefined ? (driverOfInTree(asked) ?? asked) : undefined);
  const places = placesOf(ask, { claim, pods, driver, volume: object }, attachment);
  const isDynamic = object ? isMadeByDriver(object) : asked !== undefined;
  const driverObject = driver?.includes('/') ? undefined : driverObjectOf(ask, driver);
  const attaches =
    driverObject !== undefined &&
    (driverObject.state !== 'found' || driverObject.object.spec?.attachRequired !== false);
  return {
    claim,
    volume,
    pods,
    driver,
    driverObject,
    places,
    controllers: controllersOf(ask, driver, [
      isDynamic ? 'provisioner' : undefined,
      attaches ? 'attacher' : undefined,
      isExpanding(claim) || isModifying(claim) ? 'resizer' : undefined,
    ]),
  };
}

function isMadeByDriver({ metadata }: Volume): boolean {
  return metadata.annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined;
}

function volumeOfClaim(claim: ClaimCase): Lookup<Volume> | undefined {
  const [reserved] = claim.reservedVolumes;
  return claim.volume ?? (reserved && { state: 'found', object: reserved });
}

/** A volume that hundreds of pods share is told by a few of them. */
const mostPods = 5;

/** Those that wait come first. Those that are over only where no other is left: they still tell what happened. */
function podsOf(ask: Inquiry, claim: ClaimCase): PodCase[] {
  const living = claim.consumers.items;
  const pods = living.length > 0 ? living : ask.podsUsing(claim).items;
  const created = (pod: Pod): number => parseTime(pod.metadata.creationTimestamp) ?? 0;
  return [...pods]
    .sort((a, b) => Number(hasMountedVolumes(a)) - Number(hasMountedVolumes(b)) || created(a) - created(b))
    .map((pod) => new PodCase(ask, pod, [claim]));
}

function placesOf(
  ask: Inquiry,
  {
    claim,
    pods,
    driver,
    volume,
  }: {
    readonly claim: ClaimCase;
    readonly pods: readonly PodCase[];
    readonly driver: string | undefined;
    readonly volume: Volume | undefined;
  },
  attachment: Attachment | undefined,
): Place[] {
  const places = new Map<string, Place>();
  for (const pod of pods) {
    const node = pod.pod.spec?.nodeName;
    if (!node || places.has(node)) continue;
    const use = volumeUsesOf(pod).find((each) => each.claim === claim);
    const needsNone = use?.needsAttach === false || !claim.isBound;
    places.set(node, { ...placeOf(ask, node, driver, needsNone ? undefined : use?.attachment), pod });
  }
  if (!volume) return [...places.values()];
  const { name } = volume.metadata;
  // Without a pod on a node only the list of all attachments tells where it still hangs.
  const others = attachment
    ? [attachment, ...attachmentsOf(ask, name)]
    : places.size === 0 && volume.spec?.csi
      ? allAttachmentsOf(ask, name)
      : attachmentsOf(ask, name);
  for (const object of others) {
    const node = object.spec?.nodeName ?? '';
    if (!places.has(node)) places.set(node, placeOf(ask, node, driver, { state: 'found', object }));
  }
  return [...places.values()];
}

function allAttachmentsOf(ask: Inquiry, volumeName: string): readonly Attachment[] {
  ask.list('VolumeAttachment', undefined, `to which nodes pv/${volumeName} is attached`);
  return attachmentsOf(ask, volumeName);
}

function placeOf(
  ask: Inquiry,
  node: string,
  driver: string | undefined,
  attachment: Lookup<Attachment> | undefined,
): Place {
  const isCsi = driver !== undefined && !driver.includes('/');
  return {
    node,
    attachment,
    nodeObject: ask.get('Node', undefined, node, `whether node ${node} exists and is ready`),
    csiNode: isCsi ? ask.get('CSINode', undefined, node, `whether ${driver} is registered on ${node}`) : undefined,
    plugin: isCsi ? findNodePlugin(ask, driver, node) : undefined,
  };
}

function driverObjectOf(ask: Inquiry, driver: string | undefined): Lookup<CsiDriver> | undefined {
  return driver === undefined || driver.includes('/')
    ? undefined
    : ask.get('CSIDriver', undefined, driver, `whether ${driver} is installed`);
}

function controllersOf(
  ask: Inquiry,
  driver: string | undefined,
  roles: readonly (SidecarRole | undefined)[],
): DriverController[] {
  return driver === undefined
    ? []
    : roles.flatMap((role) => (role === undefined ? [] : [findController(ask, driver, role)]));
}
