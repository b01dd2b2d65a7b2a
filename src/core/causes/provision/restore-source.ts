import type { ObjectOf } from '../../kube/kinds.ts';
import { bytesOf, isQuantity } from '../../kube/quantity.ts';
import { parseTime } from '../../kube/time.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { dataSourceOf, findToldFailure, hasReachedDriver, lastRefusal, snapshotGroup } from './data-source.ts';
import type { DataSource, ToldFailure } from './data-source.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { restoreTexts } from '../lib/driver-error/senses/kubernetes.ts';
import { driverErrorText } from '../lib/driver-error/sentences/provisioner.ts';

export type Snapshot = ObjectOf<'VolumeSnapshot'>;
export type SnapshotContent = ObjectOf<'VolumeSnapshotContent'>;

/** The provisioner's own finalizer: the restore began before the snapshot was deleted, and may continue. */
const restoreBegunFinalizer = 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection';
export const allowModeChange = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';
/** What strconv.ParseBool takes for true. */
const goTrue = ['1', 't', 'T', 'TRUE', 'true', 'True'];

/** In the order in which the provisioner makes them. */
const toldChecks = ['deleting', 'unbound', 'content', 'driver', 'notReady', 'size', 'mode'] as const;

/** The check of getSnapshotSource that fails, with the objects that prove it. */
export type RestoreFailure =
  | {
      readonly check: 'missing';
      readonly source: DataSource;
      readonly confidence: Confidence;
    }
  | Proven<'deleting' | 'unbound', { readonly snapshot: Snapshot }>
  | ContentFailure
  | Proven<'driver', { readonly content: SnapshotContent; readonly driver: string; readonly provisioner: string }>
  | Proven<'notReady', { readonly snapshot: Snapshot; readonly content: SnapshotContent | undefined }>
  | Proven<'size', { readonly snapshot: Snapshot; readonly size: string }>
  | Proven<'mode', { readonly content: SnapshotContent; readonly wanted: string; readonly had: string }>
  | ToldFailure<(typeof toldChecks)[number]>;

type Proven<Check extends string, Facts> = Facts & {
  readonly by: 'objects';
  readonly check: Check;
  readonly source: DataSource;
};

/**
 * The content behind the snapshot does not exist, was not found in a dump, belongs to another snapshot, or has no
 * handle.
 */
export type ContentFailure =
  | Proven<
      'content',
      { readonly fault: 'missing' | 'unseen'; readonly snapshot: Snapshot; readonly contentName: string }
    >
  | Proven<'content', { readonly fault: 'misbound'; readonly snapshot: Snapshot; readonly content: SnapshotContent }>
  | Proven<'content', { readonly fault: 'noHandle'; readonly content: SnapshotContent }>;

/** Found once for each claim, since every rule of the family asks. */
export function restoreFailureOf(c: PresentClaim): RestoreFailure | undefined {
  return c.once(findFailure);
}

/** external-provisioner getSnapshotSource, check by check. */
function findFailure(c: ClaimCase): RestoreFailure | undefined {
  const source = dataSourceOf(c);
  if (!isPresent(c) || source?.kind !== 'VolumeSnapshot' || source.group !== snapshotGroup) return undefined;
  const lookup = c.ask.get(
    'VolumeSnapshot',
    source.namespace,
    source.name,
    `whether volumesnapshot/${source.name}, from which pvc/${c.name} is to be restored, exists and is ready`,
  );
  if (lookup.state === 'missing')
    return hasReachedDriver(c) ? undefined : { check: 'missing', source, confidence: 'certain' };
  if (lookup.state === 'unknown') return toldFailure(c, source) ?? unseenSnapshot(c, source);
  return checkSnapshot(c, source, lookup.object);
}

/** Where snapshots or their contents cannot be read, the provisioner's event still names the check. */
function toldFailure(c: PresentClaim, source: DataSource): RestoreFailure | undefined {
  if (lastRefusal(c, restoreTexts.missing)) return { check: 'missing', source, confidence: 'likely' };
  return findToldFailure(c, source, toldChecks, restoreTexts);
}

/**
 * A dump holds nothing of a kind that has no objects: where the read was not refused and no event says otherwise, the
 * snapshot may well not exist.
 */
function unseenSnapshot(c: PresentClaim, source: DataSource): RestoreFailure | undefined {
  const scope = { namespace: source.namespace, name: source.name };
  if (c.ask.graph.coverage.of('VolumeSnapshot', scope).state !== 'unread' || hasAnyFailure(c)) return undefined;
  return { check: 'missing', source, confidence: 'possible' };
}

function hasAnyFailure(c: PresentClaim): boolean {
  return failure(c, /[^]*/) !== undefined;
}

function checkSnapshot(c: PresentClaim, source: DataSource, snapshot: Snapshot): RestoreFailure | undefined {
  if (isLeaving(snapshot)) return { by: 'objects', check: 'deleting', source, snapshot };
  const contentName = snapshot.status?.boundVolumeSnapshotContentName;
  if (!contentName) return { by: 'objects', check: 'unbound', source, snapshot };
  const lookup = c.ask.get(
    'VolumeSnapshotContent',
    undefined,
    contentName,
    `whether the content of volumesnapshot/${source.name} is there and belongs to it`,
  );
  if (lookup.state === 'missing')
    return { by: 'objects', check: 'content', fault: 'missing', source, snapshot, contentName };
  if (lookup.state === 'unknown' && isContentUnseen(c, snapshot, contentName))
    return { by: 'objects', check: 'content', fault: 'unseen', source, snapshot, contentName };
  const content = lookup.state === 'found' ? lookup.object : undefined;
  const wrong = content && checkContent(c, source, snapshot, content);
  if (wrong) return wrong;
  if (snapshot.status?.readyToUse !== true) return { by: 'objects', check: 'notReady', source, snapshot, content };
  return checkReady(c, source, snapshot, content);
}

function isLeaving({ metadata: { deletionTimestamp, finalizers = [] } }: Snapshot): boolean {
  return deletionTimestamp !== undefined && !finalizers.includes(restoreBegunFinalizer);
}

function isContentUnseen(c: PresentClaim, snapshot: Snapshot, name: string): boolean {
  return (
    snapshot.status?.readyToUse === true &&
    c.ask.graph.coverage.of('VolumeSnapshotContent', { name }).state === 'unread' &&
    !hasAnyFailure(c)
  );
}

/** The content must be bound to this snapshot, and be of the driver that is to restore it. */
function checkContent(
  c: PresentClaim,
  source: DataSource,
  snapshot: Snapshot,
  content: SnapshotContent,
): RestoreFailure | undefined {
  const { name, namespace, uid } = content.spec?.volumeSnapshotRef ?? {};
  if (name !== source.name || namespace !== source.namespace || uid !== snapshot.metadata.uid)
    return { by: 'objects', check: 'content', fault: 'misbound', source, snapshot, content };
  const provisioner = provisionerOf(c)?.name;
  const driver = content.spec?.driver;
  if (provisioner === undefined || !driver || driver === provisioner) return undefined;
  return { by: 'objects', check: 'driver', source, content, driver, provisioner };
}

function checkReady(
  c: PresentClaim,
  source: DataSource,
  snapshot: Snapshot,
  content: SnapshotContent | undefined,
): RestoreFailure | undefined {
  if (content && !content.status?.snapshotHandle)
    return { by: 'objects', check: 'content', fault: 'noHandle', source, content };
  const tooSmall = checkSize(c, source, snapshot);
  if (tooSmall) return tooSmall;
  return content ? checkMode(c, source, content) : toldFailure(c, source);
}

function checkSize(c: PresentClaim, source: DataSource, snapshot: Snapshot): RestoreFailure | undefined {
  const size = snapshot.status?.restoreSize;
  const { request } = c;
  if (size === undefined || request === undefined || !isQuantity(size) || !isQuantity(request)) return undefined;
  return bytesOf(request) < bytesOf(size) ? { by: 'objects', check: 'size', source, snapshot, size } : undefined;
}

function checkMode(c: PresentClaim, source: DataSource, content: SnapshotContent): RestoreFailure | undefined {
  const wanted = c.claim.spec?.volumeMode;
  const had = content.spec?.sourceVolumeMode;
  const isAllowed = goTrue.includes(content.metadata.annotations?.[allowModeChange] ?? '');
  if (!wanted || !had || wanted === had || isAllowed) return undefined;
  // The driver was called, so this provisioner does not check the mode (before 4.0 the check was off by default).
  if (lastRefusal(c, driverErrorText)) return undefined;
  return { by: 'objects', check: 'mode', source, content, wanted, had };
}

/** The refusal in which the provisioner itself names the check. */
export function restoreRefusal(c: PresentClaim, check: keyof typeof restoreTexts): Evidence[] {
  return saidOnClaim(c, lastRefusal(c, restoreTexts[check]));
}

export function secondsSinceCreation(c: PresentClaim, snapshot: Snapshot): number {
  const created = parseTime(snapshot.metadata.creationTimestamp);
  return created === undefined ? Number.POSITIVE_INFINITY : (c.now - created) / 1000;
}

/** The snapshot has a cause of its own, which its own diagnosis explains. */
export function repairSnapshot({ namespace, name }: DataSource): Fix {
  return fix(
    `Repair VolumeSnapshot "${name}" first: this explains what it waits for, and what to do. The claim then continues automatically.`,
    `kubectl csi why vs/${shellWord(name)} -n ${shellWord(namespace)}`,
  );
}
