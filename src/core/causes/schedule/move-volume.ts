import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { isNodeLocal } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import type { Claim, Node } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { changePod } from '../lib/pod-change.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { applyCommand, patchCommand, steps } from '../lib/steps.ts';

/**
 * A volume does not leave its place, but its data can be copied: by a snapshot where the storage is shared. The disk of
 * a node offers only a new, empty volume elsewhere.
 */
export function moveVolumeFixes(
  p: PodCase,
  placed: PlacedVolume,
  nodes: readonly Node[],
  why: 'elsewhere' | 'followsOthers' = 'elsewhere',
): Fix[] {
  const claim = placed.claim.claim;
  const className = followingClass(p, placed);
  if (!claim || className === undefined || !placed.volume.spec?.csi) return [];
  return isNodeLocal(placed.volume, nodes)
    ? [startEmpty(p, placed, claim, { className, why })]
    : [copyBySnapshot(p, placed, claim, { className, why })];
}

/** A class of the same driver that waits for the pod, so that the new volume is created where the pod runs. */
function followingClass(p: PodCase, { claim, volume }: PlacedVolume): string | undefined {
  const driver = servingDriver(volume);
  const fitting = p.ask
    .seen('StorageClass')
    .filter(
      ({ provisioner, volumeBindingMode, allowedTopologies }) =>
        provisioner === driver && volumeBindingMode === 'WaitForFirstConsumer' && allowedTopologies === undefined,
    )
    .map(({ metadata }) => metadata.name);
  return fitting.includes(claim.class.name) ? claim.class.name : fitting[0];
}

interface Move {
  readonly className: string;
  readonly why: 'elsewhere' | 'followsOthers';
}

function startEmpty({ pod }: PodCase, { volume }: PlacedVolume, claim: Claim, { className, why }: Move): Fix {
  const { name } = claim.metadata;
  const start =
    why === 'elsewhere'
      ? `If pod/${pod.metadata.name} must run elsewhere, give it a new, empty volume`
      : `Give pod/${pod.metadata.name} a new, empty volume next to its other ones, if it can do without the data of pvc/${name}`;
  return steps(
    `${start}: keep pv/${volume.metadata.name} with its data (Retain), and recreate pvc/${name} with ` +
      `StorageClass "${className}". The new volume is created where the pod is scheduled.`,
    [
      patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
      ...recreateCommands(claim, { spec: { storageClassName: className, volumeName: null } }),
    ],
    'disruptive',
  );
}

function copyBySnapshot({ pod }: PodCase, { volume }: PlacedVolume, claim: Claim, { className, why }: Move): Fix {
  const { namespace = 'default', name } = claim.metadata;
  const copy = `${name}-copy`;
  const driver = servingDriver(volume) ?? 'the driver';
  const start =
    why === 'elsewhere'
      ? `If pod/${pod.metadata.name} must run elsewhere and ${driver} supports snapshots, copy the data`
      : `Copy the data of pvc/${name} to where the other volumes are, if ${driver} supports snapshots`;
  const text = `${start}: restore a snapshot of pvc/${name} into pvc/${copy} with StorageClass "${className}", which follows the pod.`;
  const manifests = [
    {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { name: copy, namespace },
      spec: { source: { persistentVolumeClaimName: name } },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: copy, namespace },
      spec: {
        accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
        ...(claim.spec?.volumeMode && { volumeMode: claim.spec.volumeMode }),
        storageClassName: className,
        resources: { requests: { storage: volume.spec?.capacity?.['storage'] ?? '1Gi' } },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: copy },
      },
    },
  ];
  const volumeOfPod = pod.spec?.volumes?.find(({ persistentVolumeClaim: each }) => each?.claimName === name)?.name;
  // The claims of a StatefulSet have fixed names, so there the copy has to be made under the old one.
  if (volumeOfPod === undefined || ownerOf(pod)?.kind === 'StatefulSet')
    return steps(
      `${text} Write nothing to the old volume meanwhile. Then let the pod use the copy.`,
      manifests.map(applyCommand),
      'disruptive',
    );
  const change = changePod(pod, { volumes: [{ name: volumeOfPod, persistentVolumeClaim: { claimName: copy } }] });
  return steps(
    `${text} Write nothing to the old volume meanwhile. The last step sets the new claim ${change.where}.${change.note}`,
    [...manifests.map(applyCommand), ...change.commands],
    'disruptive',
  );
}
