import type { ObjectOf } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { makerOf } from '../../causes/provision/in-tree.ts';
import { secretsOf } from '../../causes/provision/secret-parameters.ts';
import { ClaimCase } from '../../facts/claim/claim-case.ts';
import {
  bindCompletedAnnotation,
  provisionedByAnnotation,
  selectedNodeAnnotations,
} from '../../facts/claim/claim-annotations.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { member, recordOf } from './templates.ts';
import type { World } from './world.ts';

/** The uid of an object that does not exist yet; never shown. */
export function imaginedUid(kind: string, namespace: string | undefined, name: string): string {
  return `preflight-${kind.toLowerCase()}-${namespace ?? ''}-${name}`;
}

const imaginedUids = /(?:pvc-|snapcontent-|prime-)?preflight-[a-z]+-[\w.-]*/g;

/** Removes imagined uids from a text. */
export function withoutUids(text: string): string {
  return text.replace(imaginedUids, 'a new one');
}

/** Whether a text names an imagined object: as evidence it proves nothing. */
export function namesImagined(text: string | undefined): boolean {
  return text !== undefined && text.search(imaginedUids) >= 0;
}

/** Adds the volume that the provisioner would create, as far as the class determines it; its place is not known. */
export function makeVolume(c: PresentClaim, world: World): void {
  const { uid } = c.claim.metadata;
  const provisioner = c.provisioner ?? c.class.name;
  const driver = makerOf(c.ask, provisioner);
  const name = `pvc-${uid ?? c.name}`;
  world.put({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, creationTimestamp: world.madeAt, annotations: { [provisionedByAnnotation]: provisioner } },
    spec: {
      capacity: { storage: c.request ?? '0' },
      accessModes: c.claim.spec?.accessModes ?? [],
      storageClassName: c.class.name,
      volumeMode: c.claim.spec?.volumeMode ?? 'Filesystem',
      ...(c.claim.spec?.volumeAttributesClassName !== undefined && {
        volumeAttributesClassName: c.claim.spec.volumeAttributesClassName,
      }),
      ...(!driver.includes('/') && { csi: { driver, volumeHandle: name, ...secretReferences(c) } }),
    },
    status: { phase: 'Available' },
  });
  bindTo(c, name, world);
}

const secretFields: Readonly<Record<string, string>> = {
  'controller-publish': 'controllerPublishSecretRef',
  'node-stage': 'nodeStageSecretRef',
  'node-publish': 'nodePublishSecretRef',
};

function secretReferences(c: PresentClaim): object {
  const storageClass = c.storageClassObject;
  if (!storageClass) return {};
  return Object.fromEntries(
    secretsOf(storageClass, c).flatMap((secret) =>
      secret.state === 'resolved' && secretFields[secret.call] !== undefined
        ? [[secretFields[secret.call], { name: secret.name, namespace: secret.namespace }]]
        : [],
    ),
  );
}

/** Binds claim and volume to each other, as the volume controller would. */
export function bindTo(c: PresentClaim, volumeName: string, world: World): void {
  const claim = world.get('PersistentVolumeClaim', c.namespace, c.name);
  const volume = world.get('PersistentVolume', undefined, volumeName);
  if (!claim || !volume) return;
  const { uid } = c.claim.metadata;
  const spec = recordOf(volume['spec']);
  const capacity = member(spec, 'capacity');
  world.put({
    ...volume,
    spec: {
      ...spec,
      claimRef: {
        kind: 'PersistentVolumeClaim',
        namespace: c.namespace,
        name: c.name,
        ...(uid !== undefined && { uid }),
      },
    },
    status: { ...recordOf(volume['status']), phase: 'Bound' },
  });
  world.put({
    ...withAnnotation(claim, bindCompletedAnnotation, 'yes'),
    spec: { ...recordOf(claim['spec']), volumeName },
    status: { phase: 'Bound', accessModes: member(spec, 'accessModes'), ...(capacity !== undefined && { capacity }) },
  });
}

/** Records the scheduler's choice, for which the provisioner then creates the volume. */
export function selectNode(c: PresentClaim, node: string, world: World): void {
  const claim = world.get('PersistentVolumeClaim', c.namespace, c.name);
  const [annotation = ''] = selectedNodeAnnotations;
  if (claim) world.put(withAnnotation(claim, annotation, node));
}

export function runOn(pod: RawObject, node: string, world: World): void {
  world.put({
    ...pod,
    spec: { ...recordOf(pod['spec']), nodeName: node },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: world.madeAt }],
    },
  });
}

/**
 * The first step is the controller's, which creates the content; the second the driver's, which takes the snapshot.
 * False without a source volume.
 */
export function takeSnapshot(snapshot: ObjectOf<'VolumeSnapshot'>, ask: Inquiry, world: World): boolean {
  const { namespace, name } = snapshot.metadata;
  const raw = world.get('VolumeSnapshot', namespace, name);
  const source = snapshot.spec?.source?.persistentVolumeClaimName;
  const claim = source === undefined ? undefined : new ClaimCase(ask, namespace ?? '', source);
  const volume = claim?.volume?.state === 'found' ? claim.volume.object : undefined;
  if (!raw || !volume) return false;
  const driver = volume.spec?.csi?.driver;
  const content = `snapcontent-${imaginedUid('vs', namespace, name)}`;
  const isTaken = snapshot.status?.boundVolumeSnapshotContentName !== undefined;
  world.put({
    ...raw,
    status: {
      readyToUse: isTaken,
      boundVolumeSnapshotContentName: content,
      ...(isTaken && { restoreSize: volume.spec?.capacity?.['storage'] }),
    },
  });
  world.put({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name: content, creationTimestamp: world.madeAt },
    spec: {
      ...(driver !== undefined && { driver }),
      deletionPolicy: 'Delete',
      sourceVolumeMode: volume.spec?.volumeMode ?? 'Filesystem',
      source: { volumeHandle: volume.spec?.csi?.volumeHandle },
      volumeSnapshotRef: { kind: 'VolumeSnapshot', namespace, name },
    },
    ...(isTaken && { status: { readyToUse: true, snapshotHandle: content } }),
  });
  return true;
}

function withAnnotation(object: RawObject, name: string, value: string): RawObject {
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { ...recordOf(object.metadata['annotations']), [name]: value },
    },
  };
}
