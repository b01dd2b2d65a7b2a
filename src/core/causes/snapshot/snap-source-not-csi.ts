import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field, note, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { dropRequest, riskOfDeletion } from './snapshot-request.ts';
import { matchError, ruleForSnapshot } from './snapshot-rule.ts';
import { sourceOf } from './snapshot-source.ts';
import { sourceNotCsiTexts } from '../lib/driver-error/sentences/snapshots.ts';

/** pvDriverFromSnapshot and createSnapshotContent accept spec.csi only: they translate no migrated in-tree volume. */
export const snapSourceNotCsi = ruleForSnapshot({
  cause: 'snap-source-not-csi',
  severity: 'blocking',
  explain(s) {
    const source = findForeignSource(s);
    if (!source) return undefined;
    return {
      confidence: source.volume ? 'certain' : 'likely',
      summary: summarize(source),
      evidence: source.evidence,
      fix: adviceFor(s, source),
    };
  },
});

interface ForeignSource {
  readonly snapshot: VolumeSnapshot;
  readonly claimName: string;
  /** The volume, if it was read and is no CSI volume; otherwise only the controller says so. */
  readonly volume: Volume | undefined;
  readonly volumeName: string;
  readonly evidence: EvidenceList;
}

function findForeignSource(s: SnapshotCase): ForeignSource | undefined {
  const source = sourceOf(s);
  if (!source || (source.claim.lookup.state !== 'unknown' && !source.claim.isBound)) return undefined;
  const { snapshot, claim } = source;
  const lookup = claim.volume;
  const said = matchError(s, sourceNotCsiTexts);
  const base = { snapshot, claimName: claim.name, volumeName: claim.volumeName || said?.match[1] || '' };
  if (lookup?.state === 'found' && lookup.object.spec !== undefined && !lookup.object.spec.csi)
    return { ...base, volume: lookup.object, evidence: volumeEvidence(lookup.object, said?.evidence) };
  const isVolumeKnown = claim.lookup.state === 'found' && lookup?.state !== 'unknown';
  return said && !isVolumeKnown ? { ...base, volume: undefined, evidence: [said.evidence] } : undefined;
}

function volumeEvidence(volume: Volume, said: Evidence | undefined): EvidenceList {
  const type = sourceTypeOf(volume);
  return [
    field(volume, 'spec.csi'),
    ...(type === undefined ? [] : [note(volume, `its type is ${type}`)]),
    ...(said ? [said] : []),
  ];
}

function summarize({ claimName, volume, volumeName }: ForeignSource): string {
  const type = volume && sourceTypeOf(volume);
  const driver = volume && migrationDriver(volume);
  const name = volumeName ? `pv/${volumeName} of pvc/${claimName}` : `The volume of pvc/${claimName}`;
  const migrated = driver === undefined ? '' : ` ${driver} serves it by CSI migration, which does not count here.`;
  return (
    `${name} is not a CSI volume${type === undefined ? '' : ` (its type is ${type})`}, and snapshots are ` +
    `taken of CSI volumes only.${migrated}`
  );
}

/** The CSI driver that serves an in-tree volume since CSI migration. */
function migrationDriver({ metadata }: Volume): string | undefined {
  return metadata.annotations?.['pv.kubernetes.io/migrated-to'];
}

function adviceFor(s: SnapshotCase, source: ForeignSource): Fix[] {
  return [
    copyToCsi(s, source),
    dropRequest(s, source.snapshot, 'If you save the data another way, delete the snapshot: nothing was taken.'),
  ];
}

/** A class whose driver takes snapshots; for a migrated volume that of its own storage. */
function csiClassOf(s: SnapshotCase, { volume }: ForeignSource): string | undefined {
  const migrated = volume && migrationDriver(volume);
  const drivers = migrated === undefined ? s.ask.seen('VolumeSnapshotClass').map(({ driver }) => driver) : [migrated];
  return s.ask
    .seen('StorageClass')
    .find(({ provisioner }) => provisioner !== undefined && drivers.includes(provisioner))?.metadata.name;
}

/** The data moves to a volume that can be snapshotted; the original stays as it is. */
function copyToCsi(s: SnapshotCase, source: ForeignSource): Fix {
  const { snapshot, claimName, volume } = source;
  const { namespace = '' } = snapshot.metadata;
  const found = csiClassOf(s, source);
  const copyName = `${claimName}-csi`;
  const which = found === undefined ? 'a CSI class that takes snapshots (PLACEHOLDER_CLASS)' : `class "${found}"`;
  const text =
    `Copy the data to a new claim of ${which}, and recreate the snapshot with that claim as its ` +
    `source${volume ? '' : ' (PLACEHOLDER_SIZE is at least the size of the old one)'}. ` +
    `Stop what writes to pvc/${claimName} first, so that the copy is consistent; the original stays.`;
  if (volume?.spec?.volumeMode === 'Block') return steps(text, []);
  const size = volume?.spec?.capacity?.['storage'] ?? 'PLACEHOLDER_SIZE';
  return steps(
    text,
    [
      applyCommand(claimManifest(namespace, copyName, found ?? 'PLACEHOLDER_CLASS', String(size))),
      applyCommand(copyPod(namespace, claimName, copyName)),
      `kubectl -n ${shellWord(namespace)} wait pod/${shellWord(`copy-${claimName}`)} ` +
        `--for=jsonpath='{.status.phase}'=Succeeded --timeout=1h`,
      ...recreateCommands(snapshot, { spec: { source: { persistentVolumeClaimName: copyName } } }),
    ],
    riskOfDeletion(s),
  );
}

function claimManifest(namespace: string, name: string, storageClassName: string, storage: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } },
  };
}

function copyPod(namespace: string, from: string, to: string): object {
  const volume = (name: string, claimName: string): object => ({ name, persistentVolumeClaim: { claimName } });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `copy-${from}`, namespace },
    spec: {
      restartPolicy: 'Never',
      containers: [
        {
          name: 'copy',
          image: 'busybox',
          command: ['cp', '-a', '/from/.', '/to/'],
          volumeMounts: [
            { name: 'from', mountPath: '/from' },
            { name: 'to', mountPath: '/to' },
          ],
        },
      ],
      volumes: [volume('from', from), volume('to', to)],
    },
  };
}

const sourceTypes = [
  'local',
  'hostPath',
  'nfs',
  'flexVolume',
  'iscsi',
  'rbd',
  'fc',
  'cephfs',
  'glusterfs',
  'awsElasticBlockStore',
  'gcePersistentDisk',
  'azureDisk',
  'azureFile',
  'cinder',
  'vsphereVolume',
  'portworxVolume',
];

function sourceTypeOf({ spec }: Volume): string | undefined {
  const fields: { readonly [name: string]: unknown } = spec ?? {};
  return sourceTypes.find((type) => fields[type] !== undefined);
}
