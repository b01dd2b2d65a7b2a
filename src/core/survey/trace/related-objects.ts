import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController, SidecarRole } from '../../facts/driver/drivers.ts';
import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import { findSnapshotController } from '../../facts/snapshot/snapshot-controller.ts';
import type { SnapshotController } from '../../facts/snapshot/snapshot-controller.ts';
import { ClaimCase } from '../../facts/claim/claim-case.ts';
import { isExpanding, isModifying } from '../../journey/claim-growth.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import type { Attachment, CsiDriver, Pod, Volume } from '../../kube/kinds.ts';
import { driverOfInTree } from '../../kube/in-tree.ts';
import { shortNameOf } from '../../kube/resources.ts';
import type { TargetRef } from '../../kube/selection.ts';
import { parseTime } from '../../kube/time.ts';
import { allAttachmentsOf, placeOf, placesOfClaim } from './places.ts';
import type { Place } from './places.ts';

/** Everything that takes part in the life of one volume. */
export interface RelatedVolume {
  readonly claim: ClaimCase | undefined;
  readonly volume: Lookup<Volume> | undefined;
  /** The target, then the pods that wait for the volume, then the others, oldest first; of many only the first few. */
  readonly pods: readonly PodCase[];
  readonly driver: string | undefined;
  readonly driverObject: Lookup<CsiDriver> | undefined;
  readonly places: readonly Place[];
  readonly controllers: readonly DriverController[];
}

export interface RelatedObjects {
  readonly target: TargetRef;
  readonly ask: Inquiry;
  /** The pod that is the target; it may have several volumes. */
  readonly pod?: PodCase;
  readonly volumes: readonly RelatedVolume[];
  readonly snapshot?: SnapshotCase;
  readonly snapshotController?: SnapshotController;
  readonly snapshotter?: DriverController;
}

/** The objects that belong to the target. Where nothing is found, the diagnosis says what is missing. */
export function findRelatedObjects(ask: Inquiry, target: TargetRef): RelatedObjects {
  switch (target.kind) {
    case 'Pod':
      return relatedToPod(ask, target);
    case 'PersistentVolume': {
      const volume = ask.get('PersistentVolume', undefined, target.name, existenceText(target));
      return { target, ask, volumes: [relatedToVolume(ask, volume)] };
    }
    case 'VolumeAttachment':
      return relatedToAttachment(ask, target);
    case 'VolumeSnapshot':
    case 'VolumeSnapshotContent':
      return relatedToSnapshot(ask, target);
    default: {
      const claim = new ClaimCase(ask, target.namespace ?? '', target.name);
      return { target, ask, volumes: [relatedToClaim(ask, claim, podsOf(ask, claim))] };
    }
  }
}

function existenceText({ kind, name }: TargetRef): string {
  return `whether ${shortNameOf(kind)}/${name} exists`;
}

function relatedToPod(ask: Inquiry, target: TargetRef): RelatedObjects {
  const lookup = ask.get('Pod', target.namespace ?? '', target.name, existenceText(target));
  if (lookup.state !== 'found') return { target, ask, volumes: [] };
  const pod = new PodCase(ask, lookup.object);
  const volumes = pod.claims.map((claim) => {
    const others = podsOf(ask, claim).filter((other) => other.pod !== pod.pod);
    return relatedToClaim(ask, claim, [pod, ...others]);
  });
  return { target, ask, pod, volumes };
}

function relatedToAttachment(ask: Inquiry, target: TargetRef): RelatedObjects {
  const lookup = ask.get('VolumeAttachment', undefined, target.name, existenceText(target));
  const attachment = lookup.state === 'found' ? lookup.object : undefined;
  const name = attachment?.spec?.source?.persistentVolumeName;
  const volume = name
    ? ask.get('PersistentVolume', undefined, name, `which volume volumeattachment/${target.name} is about`)
    : undefined;
  return { target, ask, volumes: [relatedToVolume(ask, volume, attachment)] };
}

function relatedToSnapshot(ask: Inquiry, target: TargetRef): RelatedObjects {
  const object = findSnapshot(ask, target);
  if (!object) return { target, ask, volumes: [] };
  const snapshot = new SnapshotCase(ask, object);
  const { claim, driver } = snapshot;
  const source: RelatedVolume | undefined = claim && {
    claim,
    volume: volumeOfClaim(claim),
    pods: [],
    driver: undefined,
    driverObject: undefined,
    places: [],
    controllers: [],
  };
  return {
    target,
    ask,
    volumes: source ? [source] : [],
    snapshot,
    snapshotController: findSnapshotController(ask),
    ...(driver !== undefined && { snapshotter: findController(ask, driver, 'snapshotter') }),
  };
}

function findSnapshot(ask: Inquiry, target: TargetRef): VolumeSnapshot | SnapshotContent | undefined {
  const { namespace, name } = target;
  const lookup =
    target.kind === 'VolumeSnapshot'
      ? ask.get('VolumeSnapshot', namespace, name, existenceText(target))
      : ask.get('VolumeSnapshotContent', namespace, name, existenceText(target));
  return lookup.state === 'found' ? lookup.object : undefined;
}

/** The volume names its claim, and the claim leads to the pods. */
function relatedToVolume(ask: Inquiry, lookup: Lookup<Volume> | undefined, attachment?: Attachment): RelatedVolume {
  const volume = lookup?.state === 'found' ? lookup.object : undefined;
  const claim = volume && claimOfVolume(ask, volume);
  if (claim) return relatedToClaim(ask, claim, podsOf(ask, claim), lookup, attachment);
  const driver = volume ? servingDriver(volume) : attachment?.spec?.attacher;
  const attachments = attachmentsOfTarget(ask, volume, attachment);
  return {
    claim: undefined,
    volume: lookup,
    pods: [],
    driver,
    driverObject: driverObjectOf(ask, driver),
    places: attachments.map((each) =>
      placeOf(ask, each.spec?.nodeName ?? '', driver, { state: 'found', object: each }),
    ),
    controllers: controllersOf(ask, driver, [
      volume && isProvisioned(volume) ? 'provisioner' : undefined,
      attachments.length > 0 ? 'attacher' : undefined,
    ]),
  };
}

function attachmentsOfTarget(
  ask: Inquiry,
  volume: Volume | undefined,
  attachment: Attachment | undefined,
): readonly Attachment[] {
  if (attachment) return [attachment];
  return volume ? allAttachmentsOf(ask, volume.metadata.name) : [];
}

/** Unless another claim of the same name took the place of the one that the volume belongs to. */
function claimOfVolume(ask: Inquiry, { spec }: Volume): ClaimCase | undefined {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  if (!name || namespace === undefined) return undefined;
  const claim = new ClaimCase(ask, namespace, name);
  return claim.claim && (uid === undefined || uid === claim.claim.metadata.uid) ? claim : undefined;
}

function relatedToClaim(
  ask: Inquiry,
  claim: ClaimCase,
  users: readonly PodCase[],
  known?: Lookup<Volume>,
  attachment?: Attachment,
): RelatedVolume {
  const pods = users.slice(0, mostPods);
  const lookup = known ?? volumeOfClaim(claim);
  const volume = lookup?.state === 'found' ? lookup.object : undefined;
  const provisioner = claim.askedProvisioner ?? claim.provisioner;
  const future = lookup === undefined && provisioner ? (driverOfInTree(provisioner) ?? provisioner) : undefined;
  const driver = (volume && servingDriver(volume)) ?? future;
  const places = placesOfClaim(ask, { claim, pods, driver, volume, attachment });
  const isDynamic = volume ? isProvisioned(volume) : provisioner !== undefined;
  const driverObject = driverObjectOf(ask, driver);
  return {
    claim,
    volume: lookup,
    pods,
    driver,
    driverObject,
    places,
    controllers: controllersOf(ask, driver, [
      isDynamic ? 'provisioner' : undefined,
      attachesVolumes(driverObject) ? 'attacher' : undefined,
      isExpanding(claim) || isModifying(claim) ? 'resizer' : undefined,
    ]),
  };
}

function attachesVolumes(driver: Lookup<CsiDriver> | undefined): boolean {
  return driver !== undefined && (driver.state !== 'found' || driver.object.spec?.attachRequired !== false);
}

function isProvisioned({ metadata }: Volume): boolean {
  return metadata.annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined;
}

function volumeOfClaim(claim: ClaimCase): Lookup<Volume> | undefined {
  const [reserved] = claim.reservedVolumes;
  return claim.volume ?? (reserved && { state: 'found', object: reserved });
}

/** A few pods are enough for a volume that hundreds share. */
const mostPods = 5;

/** Pods that wait come first. Pods that have ended count only where no other is left: they still show what happened. */
function podsOf(ask: Inquiry, claim: ClaimCase): PodCase[] {
  const living = claim.consumers.items;
  const pods = living.length > 0 ? living : ask.podsUsing(claim).items;
  const created = (pod: Pod): number => parseTime(pod.metadata.creationTimestamp) ?? 0;
  return [...pods]
    .sort((a, b) => Number(hasMountedVolumes(a)) - Number(hasMountedVolumes(b)) || created(a) - created(b))
    .map((pod) => new PodCase(ask, pod, [claim]));
}

/** In-tree plugins, with a slash in their name, have no CSIDriver object. */
function driverObjectOf(ask: Inquiry, driver: string | undefined): Lookup<CsiDriver> | undefined {
  if (driver === undefined || driver.includes('/')) return undefined;
  return ask.get('CSIDriver', undefined, driver, `whether ${driver} is installed`);
}

function controllersOf(
  ask: Inquiry,
  driver: string | undefined,
  roles: readonly (SidecarRole | undefined)[],
): DriverController[] {
  if (driver === undefined) return [];
  return roles.filter((role) => role !== undefined).map((role) => findController(ask, driver, role));
}
