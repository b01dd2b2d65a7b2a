import type { ObjectOf } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, inNamespace } from '../../facts/evidence.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { contentObjectMissingText } from '../lib/driver-error/sentences/snapshots.ts';
import { handleOf, importCommand } from '../lib/snapshot-content.ts';
import { snapshotApi } from '../lib/snapshot-class.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { ownerOfStorage } from '../lib/storage-behind.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import type { DataSource } from './data-source.ts';

type Snapshot = ObjectOf<'VolumeSnapshot'>;
type SnapshotContent = ObjectOf<'VolumeSnapshotContent'>;

/** What the objects show about a snapshot that the driver does not find. */
export interface SourceFault {
  readonly summary: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

export function sourceFaultOf(
  c: PresentClaim,
  source: DataSource,
  driver: string,
  text: string,
): SourceFault | undefined {
  if (source.kind !== 'VolumeSnapshot') return undefined;
  const snapshot = c.ask.graph.find('VolumeSnapshot', source.namespace, source.name);
  const name = snapshot?.status?.boundVolumeSnapshotContentName;
  const content = name === undefined ? undefined : c.ask.graph.find('VolumeSnapshotContent', undefined, name);
  if (!snapshot || !content) return undefined;
  return otherContent(c, snapshot, content, driver, text) ?? otherRegion(c, snapshot, content, driver);
}

/**
 * A driver that builds the name of the content itself, as the snapshot controller names those that it creates. Contents
 * that were imported, or recreated by a backup tool, have other names.
 */
function otherContent(
  c: PresentClaim,
  snapshot: Snapshot,
  content: SnapshotContent,
  driver: string,
  text: string,
): SourceFault | undefined {
  const wanted = contentObjectMissingText.exec(text)?.[1];
  if (wanted === undefined || wanted === content.metadata.name) return undefined;
  const isImported = content.spec?.source?.snapshotHandle !== undefined;
  return {
    summary:
      `${driver} looks for VolumeSnapshotContent "${wanted}", which does not exist. VolumeSnapshot "${snapshot.metadata.name}" ` +
      `is bound to another content, "${content.metadata.name}"${content.status?.readyToUse === true ? ', which is ready' : ''}: ` +
      `the driver seems to build the name itself and not to support ${isImported ? 'contents that were imported or recreated' : 'contents of other names'}.`,
    evidence: [
      absent('VolumeSnapshotContent', wanted),
      field(snapshot, 'status.boundVolumeSnapshotContentName'),
      ...(isImported ? [field(content, 'spec.source.snapshotHandle')] : []),
    ],
    fix: [withoutContent(c, driver, wanted)],
  };
}

/** Backup tools own the claim: recreating it would not change the name of the content. */
function withoutContent(c: PresentClaim, driver: string, wanted: string): Fix {
  const owner = c.claim.metadata.ownerReferences?.find(({ kind }) => kind === 'DataUpload' || kind === 'DataDownload');
  const never = `Do not create a content "${wanted}" by hand: deleting one of two contents can delete the snapshot that both stand for.`;
  if (owner?.kind === 'DataUpload')
    return steps(
      `Cancel this upload, and back the volume up without its snapshot (file-system backup) until a release of ${driver} supports contents that Velero recreates; PLACEHOLDER_SOURCE is the namespace that is backed up. ${never}`,
      [
        `kubectl ${inNamespace(c.namespace)}patch datauploads.velero.io ${shellWord(owner.name ?? '')} --type=merge -p '{"spec":{"cancel":true}}'`,
        'velero backup create PLACEHOLDER_SOURCE-files --include-namespaces PLACEHOLDER_SOURCE --default-volumes-to-fs-backup',
      ],
    );
  return steps(
    `Restore from a snapshot that ${driver} has taken itself in this cluster (PLACEHOLDER_SNAPSHOT: its content is named snapcontent-…): take one of the source claim, then recreate this claim from it. It was never bound, so it holds no data. ${never}`,
    [
      `kubectl ${inNamespace(c.namespace)}get volumesnapshot -o custom-columns=NAME:.metadata.name,CONTENT:.status.boundVolumeSnapshotContentName,READY:.status.readyToUse`,
      ...(recreateClaim(c, '', sourceChange(c, { name: 'PLACEHOLDER_SNAPSHOT' })).commands ?? []),
    ],
  );
}

const regionLabels = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];

/** A snapshot class may put snapshots into another region, where volumes of this one cannot be created from them. */
function otherRegion(
  c: PresentClaim,
  snapshot: Snapshot,
  content: SnapshotContent,
  driver: string,
): SourceFault | undefined {
  const className = snapshot.spec?.volumeSnapshotClassName ?? content.spec?.volumeSnapshotClassName;
  const snapshotClass =
    className === undefined ? undefined : c.ask.graph.find('VolumeSnapshotClass', undefined, className);
  const [key, region] =
    Object.entries(snapshotClass?.parameters ?? {}).find(([name]) => /^(?:location|region)$/i.test(name)) ?? [];
  const regions = regionsOfNodes(c);
  const [here, ...others] = regions;
  if (!snapshotClass || key === undefined || region === undefined || here === undefined || others.length > 0)
    return undefined;
  if (plain(region) === plain(here.region)) return undefined;
  const handle = handleOf(content);
  return {
    summary:
      `It was taken through VolumeSnapshotClass "${snapshotClass.metadata.name}" (${key} ${region}), and the nodes are in ${here.region}. ` +
      'A volume can only be created from a snapshot in its own region, so this is the likely reason.',
    evidence: [
      field(snapshotClass, `parameters.${key}`, region),
      field(here.node, `metadata.labels[${here.label}]`, here.region),
      ...(handle === undefined ? [] : [field(content, 'status.snapshotHandle', handle)]),
    ],
    fix: [importCopy(c, snapshot, driver, region, here.region, handle)],
  };
}

const plain = (region: string): string => region.toLowerCase().replace(/[^a-z0-9]/g, '');

interface NodeRegion {
  readonly region: string;
  readonly label: string;
  readonly node: ObjectOf<'Node'>;
}

/** One entry for each region that the nodes at hand are in. */
function regionsOfNodes(c: PresentClaim): NodeRegion[] {
  const found = new Map<string, NodeRegion>();
  for (const node of c.ask.graph.all('Node')) {
    const label = regionLabels.find((each) => node.metadata.labels?.[each] !== undefined);
    const region = label === undefined ? undefined : node.metadata.labels?.[label];
    if (label !== undefined && region !== undefined && !found.has(region)) found.set(region, { region, label, node });
  }
  return [...found.values()];
}

function importCopy(
  c: PresentClaim,
  { metadata }: Snapshot,
  driver: string,
  from: string,
  to: string,
  handle: string | undefined,
): Fix {
  const copy = `${metadata.name}-copy`;
  return steps(
    `Ask ${ownerOfStorage(driver) ?? 'the owner of the storage'} to confirm that snapshot ${handle === undefined ? `of "${metadata.name}"` : `"${handle}"`} is in ${from} and to copy it to ${to}. Then bind the copy (PLACEHOLDER_HANDLE is its id) and recreate the claim from it; it was never bound, so it holds no data. The claim is then restored and bound automatically.`,
    [
      importCommand(`${c.namespace}-${copy}`, {
        driver,
        handle: 'PLACEHOLDER_HANDLE',
        namespace: c.namespace,
        snapshot: copy,
      }),
      applyCommand({
        apiVersion: snapshotApi,
        kind: 'VolumeSnapshot',
        metadata: { name: copy, namespace: c.namespace },
        spec: { source: { volumeSnapshotContentName: `${c.namespace}-${copy}` } },
      }),
      ...(recreateClaim(c, '', sourceChange(c, { name: copy })).commands ?? []),
    ],
  );
}
