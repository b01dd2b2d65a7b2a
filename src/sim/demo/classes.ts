import type { RawObject } from '../../core/kube/snapshot.ts';
import { object } from './builders.ts';
import type { DemoClock } from './builders.ts';
import { diskDriver, filesDriver, storageNamespace } from './names.ts';

const age = 60 * 24 * 40;

interface ClassFacts {
  readonly provisioner: string;
  readonly bindsLate?: boolean;
  readonly reclaimPolicy?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** No class is the default one: a claim without a class shows that. */
const classes: Readonly<Record<string, ClassFacts>> = {
  fast: { provisioner: diskDriver, bindsLate: true, parameters: { type: 'ssd', 'csi.storage.k8s.io/fstype': 'ext4' } },
  'fast-immediate': { provisioner: diskDriver, parameters: { type: 'ssd' } },
  archive: {
    provisioner: diskDriver,
    parameters: {
      type: 'cold',
      'csi.storage.k8s.io/provisioner-secret-name': 'archive-login',
      'csi.storage.k8s.io/provisioner-secret-namespace': storageNamespace,
    },
  },
  shared: { provisioner: filesDriver },
  'old-nfs': { provisioner: 'nfs.csi.example.com' },
  manual: { provisioner: 'kubernetes.io/no-provisioner', reclaimPolicy: 'Retain' },
  filer: { provisioner: 'kubernetes.io/no-provisioner', reclaimPolicy: 'Retain' },
};

export function storageClasses(clock: DemoClock): readonly RawObject[] {
  return [
    ...Object.entries(classes).map(([name, facts]) =>
      object(
        clock,
        { kind: 'StorageClass', apiVersion: 'storage.k8s.io/v1', name, age },
        {
          ...(facts.provisioner.startsWith('kubernetes.io/') ? {} : { allowVolumeExpansion: true }),
          ...(facts.parameters === undefined ? {} : { parameters: facts.parameters }),
          provisioner: facts.provisioner,
          reclaimPolicy: facts.reclaimPolicy ?? 'Delete',
          volumeBindingMode: facts.bindsLate === true ? 'WaitForFirstConsumer' : 'Immediate',
        },
      ),
    ),
    object(
      clock,
      { kind: 'VolumeSnapshotClass', apiVersion: 'snapshot.storage.k8s.io/v1', name: 'disk-snapshots', age },
      { driver: diskDriver, deletionPolicy: 'Delete' },
    ),
    ...['volumesnapshots', 'volumesnapshotcontents', 'volumesnapshotclasses'].map((plural) =>
      snapshotDefinition(clock, plural),
    ),
  ];
}

function snapshotDefinition(clock: DemoClock, plural: string): RawObject {
  const kinds: Readonly<Record<string, string>> = {
    volumesnapshots: 'VolumeSnapshot',
    volumesnapshotcontents: 'VolumeSnapshotContent',
    volumesnapshotclasses: 'VolumeSnapshotClass',
  };
  const kind = kinds[plural] ?? '';
  const group = 'snapshot.storage.k8s.io';
  return object(
    clock,
    { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1', name: `${plural}.${group}`, age },
    {
      spec: {
        group,
        names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
        scope: kind === 'VolumeSnapshot' ? 'Namespaced' : 'Cluster',
        versions: [{ name: 'v1', served: true, storage: true }],
      },
      status: {
        acceptedNames: { kind, plural },
        conditions: [
          { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', lastTransitionTime: clock.ago(age) },
        ],
      },
    },
  );
}
