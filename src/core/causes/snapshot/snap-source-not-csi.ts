import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { matchError, ruleForSnapshot } from './snapshot-rule.ts';
import { sourceOf } from './snapshot-source.ts';

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
      fix: adviceFor(source),
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
  const said = matchError(
    s,
    /cannot find CSI PersistentVolumeSource for volume (\S+)|snapshotting non-CSI volumes is not supported/,
  );
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
    ...(type === undefined ? [] : [note(volume, `its kind is ${type}`)]),
    ...(said ? [said] : []),
  ];
}

function summarize({ claimName, volume, volumeName }: ForeignSource): string {
  const type = volume && sourceTypeOf(volume);
  const driver = volume && migrationDriver(volume);
  return `${volumeName ? `pv/${volumeName}` : 'the volume'} of claim ${claimName} is no CSI volume${type === undefined ? '' : ` (${type})`}, and of others no snapshot can be taken${driver === undefined ? '' : `, though ${driver} serves it otherwise`}`;
}

/** The CSI driver that serves an in-tree volume since CSI migration. */
function migrationDriver({ metadata }: Volume): string | undefined {
  return metadata.annotations?.['pv.kubernetes.io/migrated-to'];
}

function adviceFor({ snapshot: { metadata }, volume, volumeName }: ForeignSource): Fix[] {
  const driver = volume && migrationDriver(volume);
  const recreate = fix(
    `or make a CSI volume object for the same disk: keep the disk (policy Retain), then make a new pv with csi.driver ${driver ?? ''} and a claim for it`,
  );
  return [
    fix(
      'save the data by other means (a copy by a pod), or move it to a volume of a CSI class',
      volumeName ? `kubectl get pv ${shellWord(volumeName)} -o yaml` : undefined,
    ),
    ...(driver === undefined ? [] : [recreate]),
    fix(
      'delete this snapshot: it holds nothing',
      `kubectl ${inNamespace(metadata.namespace)}delete volumesnapshot ${shellWord(metadata.name)}`,
      'disruptive',
    ),
  ];
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
