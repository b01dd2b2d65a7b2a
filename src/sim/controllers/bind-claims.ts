import { mergeObjects } from '../../core/kube/merge-objects.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { withDefaultClass } from '../changes/defaults.ts';
import type { Cluster } from '../cluster.ts';
import { textAt, valueAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { findVolume, isReservedFor, satisfies } from './match-volume.ts';
import {
  bindCompleted,
  bindsLate,
  claimNamesOf,
  classNameOf,
  classOf,
  isLeaving,
  selectedNode,
  storageProvisioner,
  usersOf,
  volumeOf,
} from './storage-objects.ts';

const from = 'persistentvolume-controller';
const noProvisioner = 'kubernetes.io/no-provisioner';

/** The volume controller: binds claims to volumes, and keeps the phases of both. */
export function bindClaims({ cluster }: Workplace): void {
  for (const volume of cluster.list('PersistentVolume')) cluster.put(withPhase(volume, cluster));
  for (const claim of cluster.list('PersistentVolumeClaim')) {
    if (textAt(claim, 'metadata', 'annotations', bindCompleted) === 'yes') keepBound(claim, cluster);
    else if (!isLeaving(claim)) bind(withDefaultClass(claim, cluster), cluster);
  }
}

/** Available without a claim, Bound with one, Released when its claim is gone. */
function withPhase(volume: RawObject, cluster: Cluster): RawObject {
  const current = textAt(volume, 'status', 'phase');
  const phase = phaseOf(volume, cluster);
  if (phase === current) return volume;
  return mergeObjects(volume, {
    status: { phase, lastPhaseTransitionTime: cluster.timestamp, message: null, reason: null },
  }) as RawObject;
}

function phaseOf(volume: RawObject, cluster: Cluster): string {
  const reference = valueAt(volume, 'spec', 'claimRef');
  if (textAt(reference, 'uid') === '') return 'Available';
  const claim = cluster.get('PersistentVolumeClaim', textAt(reference, 'namespace'), textAt(reference, 'name'));
  if (claim?.metadata.uid !== textAt(reference, 'uid')) return 'Released';
  return textAt(claim, 'spec', 'volumeName') === volume.metadata.name ? 'Bound' : textAt(volume, 'status', 'phase');
}

/** A claim whose volume is gone is Lost, and bound again if the volume comes back (syncBoundClaim). */
function keepBound(claim: RawObject, cluster: Cluster): void {
  const volume = volumeOf(claim, cluster);
  const isHeld = volume !== undefined && isReservedFor(volume, claim);
  if (isHeld && textAt(claim, 'status', 'phase') === 'Lost') return bindTo(claim, volume, cluster);
  const isTaken = volume !== undefined && valueAt(volume, 'spec', 'claimRef') !== undefined && !isHeld;
  if (volume === undefined || isTaken) cluster.put(mergeObjects(claim, { status: { phase: 'Lost' } }) as RawObject);
  else if (!isHeld) bindTo(claim, volume, cluster);
}

function bind(claim: RawObject, cluster: Cluster): void {
  const named = textAt(claim, 'spec', 'volumeName');
  if (named !== '') {
    const volume = volumeOf(claim, cluster);
    const isFree =
      volume !== undefined && (valueAt(volume, 'spec', 'claimRef') === undefined || isReservedFor(volume, claim));
    if (isFree && satisfies(volume, claim)) bindTo(claim, volume, cluster);
    return;
  }
  const storageClass = classOf(claim, cluster);
  const isDelayed = bindsLate(storageClass) && textAt(claim, 'metadata', 'annotations', selectedNode) === '';
  const volume = findVolume(claim, cluster, () => !isDelayed);
  if (volume !== undefined) return bindTo(claim, volume, cluster);
  cluster.put(claim);
  if (isDelayed) reportWait(claim, cluster);
  else askForVolume(claim, storageClass, cluster);
}

export function bindTo(claim: RawObject, volume: RawObject, cluster: Cluster): void {
  const { name, namespace, uid } = claim.metadata;
  cluster.put(
    mergeObjects(volume, {
      spec: { claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid } },
      status: { phase: 'Bound', lastPhaseTransitionTime: cluster.timestamp },
    }) as RawObject,
  );
  cluster.put(
    mergeObjects(claim, {
      metadata: { annotations: { [bindCompleted]: 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { volumeName: volume.metadata.name },
      status: {
        phase: 'Bound',
        accessModes: valueAt(volume, 'spec', 'accessModes'),
        capacity: { storage: textAt(volume, 'spec', 'capacity', 'storage') },
      },
    }) as RawObject,
  );
}

function reportWait(claim: RawObject, cluster: Cluster): void {
  const pod = usersOf(claim, cluster).find((user) => claimNamesOf(user).includes(claim.metadata.name));
  cluster.report(
    claim,
    pod === undefined
      ? { reason: 'WaitForFirstConsumer', message: 'waiting for first consumer to be created before binding', from }
      : { reason: 'WaitForPodScheduled', message: `waiting for pod ${pod.metadata.name} to be scheduled`, from },
  );
}

/** No volume fits: the provisioner of the class has to create one, or an event reports why there is no provisioner. */
function askForVolume(claim: RawObject, storageClass: RawObject | undefined, cluster: Cluster): void {
  const className = classNameOf(claim);
  if (className === '')
    return cluster.report(claim, {
      reason: 'FailedBinding',
      message: 'no persistent volumes available for this claim and no storage class is set',
      from,
    });
  const provisioner = textAt(storageClass, 'provisioner');
  if (storageClass === undefined || provisioner === noProvisioner)
    return cluster.report(claim, {
      type: 'Warning',
      reason: 'ProvisioningFailed',
      message:
        storageClass === undefined
          ? `storageclass.storage.k8s.io "${className}" not found`
          : `no volume plugin matched name: ${noProvisioner}`,
      from,
    });
  cluster.put(
    mergeObjects(claim, {
      metadata: {
        annotations: {
          'volume.beta.kubernetes.io/storage-provisioner': provisioner,
          [storageProvisioner]: provisioner,
        },
      },
    }) as RawObject,
  );
  cluster.report(claim, {
    reason: 'ExternalProvisioning',
    message:
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by ` +
      'the system administrator. If volume creation is delayed, please verify that the provisioner is running ' +
      'and correctly registered.',
    from,
  });
}
