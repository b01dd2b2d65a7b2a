import type { ObjectOf } from '../../../kube/kinds.ts';
import { bytesOf, formatBytes, isQuantity } from '../../../kube/quantity.ts';
import { parseTime } from '../../../kube/time.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../../facts/evidence.ts';
import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
import { failure, provisionerOf } from '../provisioner.ts';
import { dataSourceOf, lastRefusal, rulesOf, saidBy, snapshotGroup, sourceEvidence } from './data-source.ts';
import type { DataSource, Outcome } from './data-source.ts';
import { remakeFix } from './remake.ts';
import { refusedRestore } from './restore-refused.ts';
import { missingSnapshot } from './restore-snapshot-missing.ts';
import { restoreTexts } from '../../lib/driver-error/senses/kubernetes.ts';

type Snapshot = ObjectOf<'VolumeSnapshot'>;
type Content = ObjectOf<'VolumeSnapshotContent'>;

/** The provisioner's own finalizer: the restore had begun before the snapshot was deleted, and may go on. */
const restoreBegunFinalizer = 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection';
const allowModeChange = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';
/** strconv.ParseBool. */
const goTrue = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const freshSeconds = 60;
const longestUploadSeconds = 3600;

/** external-provisioner getSnapshotSource, check by check. */
function judgeRestore(c: PresentClaim): Outcome | undefined {
  const source = dataSourceOf(c);
  if (source?.kind !== 'VolumeSnapshot' || source.group !== snapshotGroup) return undefined;
  const lookup = c.ask.get(
    'VolumeSnapshot',
    source.namespace,
    source.name,
    `whether volumesnapshot/${source.name}, from which pvc/${c.name} is to be restored, exists and is ready`,
  );
  if (lookup.state === 'missing') return missingSnapshot(c, source, 'certain');
  if (lookup.state === 'unknown') return refusedRestore(c, source) ?? unseenSnapshot(c, source);
  return judgeSnapshot(c, source, lookup.object);
}

/** A dump holds nothing of a kind of which there was nothing: where nobody refused the read and nothing else speaks, the snapshot may well not exist. */
function unseenSnapshot(c: PresentClaim, source: DataSource): Outcome | undefined {
  if (c.ask.graph.coverage.of('VolumeSnapshot', { namespace: source.namespace, name: source.name }).state !== 'unread')
    return undefined;
  return failure(c, /[^]*/) ? undefined : missingSnapshot(c, source, 'possible');
}

function withoutContent(
  c: PresentClaim,
  source: DataSource,
  snapshot: Snapshot,
  contentName: string,
  words: string,
): Outcome {
  return {
    cause: 'restore-content-invalid',
    summary: `volumesnapshot/${source.name} points to volumesnapshotcontent/${contentName}, ${words}`,
    evidence: [sourceEvidence(c, source), field(snapshot, 'status.boundVolumeSnapshotContentName')],
    fix: [
      fix(
        'look which snapshots there are, and restore from another one, or bring the content back from a backup of the objects',
        `kubectl ${inNamespace(source.namespace)}get volumesnapshot`,
      ),
    ],
  };
}

function judgeSnapshot(c: PresentClaim, source: DataSource, snapshot: Snapshot): Outcome | undefined {
  const contentName = snapshot.status?.boundVolumeSnapshotContentName;
  if (
    snapshot.metadata.deletionTimestamp !== undefined &&
    !(snapshot.metadata.finalizers ?? []).includes(restoreBegunFinalizer)
  )
    return deleting(c, source, snapshot);
  if (!contentName) return unbound(c, source, snapshot);
  const lookup = c.ask.get(
    'VolumeSnapshotContent',
    undefined,
    contentName,
    `whether the content of volumesnapshot/${source.name} is there and belongs to it`,
  );
  if (lookup.state === 'missing') {
    const outcome = withoutContent(c, source, snapshot, contentName, 'which does not exist');
    return {
      ...outcome,
      evidence: [
        ...outcome.evidence,
        absent('VolumeSnapshotContent', contentName),
        ...saidBy(c, lastRefusal(c, restoreTexts.content)),
      ],
    };
  }
  if (
    lookup.state === 'unknown' &&
    snapshot.status?.readyToUse === true &&
    c.ask.graph.coverage.of('VolumeSnapshotContent', { name: contentName }).state === 'unread' &&
    !failure(c, /[^]*/)
  ) {
    return {
      ...withoutContent(c, source, snapshot, contentName, 'of which nothing is to be seen'),
      confidence: 'possible',
    };
  }
  const content = lookup.state === 'found' ? lookup.object : undefined;
  const bad = content && (misbound(c, source, snapshot, content) ?? otherDriver(c, source, content));
  if (bad) return bad;
  if (snapshot.status?.readyToUse !== true) return notReady(c, source, snapshot, content);
  return (
    (content && withoutHandle(c, source, content)) ??
    tooSmall(c, source, snapshot) ??
    (content ? otherMode(c, content) : refusedRestore(c, source))
  );
}

function deleting(c: PresentClaim, source: DataSource, snapshot: Snapshot): Outcome {
  return {
    cause: 'restore-snapshot-deleting',
    summary: `volumesnapshot/${source.name}, from which the claim is to be restored, is being deleted`,
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'metadata.deletionTimestamp'),
      ...saidBy(c, lastRefusal(c, restoreTexts.deleting)),
    ],
    fix: [
      fix('look for another snapshot', `kubectl ${inNamespace(source.namespace)}get volumesnapshot`),
      remakeFix(c, 'with a snapshot that stays'),
    ],
  };
}

function unbound(c: PresentClaim, source: DataSource, snapshot: Snapshot): Outcome {
  const error = snapshot.status?.error?.message;
  const className = snapshot.spec?.volumeSnapshotClassName;
  const isClassMissing =
    className !== undefined &&
    c.ask.get('VolumeSnapshotClass', undefined, className, `whether volumesnapshotclass/${className} exists`).state ===
      'missing';
  const why = isClassMissing
    ? `: its class ${className} does not exist`
    : error
      ? ', and the snapshot itself reports an error'
      : snapshot.status
        ? ''
        : ': no snapshot controller has taken it up';
  return {
    cause: 'restore-snapshot-unbound',
    ...(!error && !isClassMissing && isFresh(c, snapshot) && { severity: 'info' as const }),
    summary: `volumesnapshot/${source.name}, from which the claim is to be restored, has no content yet${why}`,
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'status.boundVolumeSnapshotContentName'),
      ...(isClassMissing ? [absent('VolumeSnapshotClass', className)] : []),
      ...(error ? [field(snapshot, 'status.error.message')] : []),
      ...saidBy(c, lastRefusal(c, restoreTexts.unbound)),
    ],
    fix: [
      fix(
        'see what the snapshot waits for, and mend it first: the claim then goes on by itself',
        askAboutSnapshot(source),
      ),
    ],
  };
}

function misbound(c: PresentClaim, source: DataSource, snapshot: Snapshot, content: Content): Outcome | undefined {
  const ref = content.spec?.volumeSnapshotRef;
  if (ref?.name === source.name && ref.namespace === source.namespace && ref.uid === snapshot.metadata.uid)
    return undefined;
  const isNamesake = ref?.name === source.name && ref.namespace === source.namespace;
  return {
    cause: 'restore-content-invalid',
    summary: `volumesnapshotcontent/${content.metadata.name} does not belong to volumesnapshot/${source.name}${isNamesake ? ' but to an earlier snapshot of the same name' : ref?.name ? ` but to ${ref.namespace ?? ''}/${ref.name}` : ''}`,
    evidence: [
      field(snapshot, 'status.boundVolumeSnapshotContentName'),
      field(snapshot, 'metadata.uid'),
      field(content, 'spec.volumeSnapshotRef'),
      ...saidBy(c, lastRefusal(c, restoreTexts.content)),
    ],
    fix: [
      fix(
        'look at the content, and let it and the snapshot name each other, or restore from another snapshot',
        `kubectl get volumesnapshotcontent ${shellWord(content.metadata.name)} -o yaml`,
      ),
    ],
  };
}

function otherDriver(c: PresentClaim, source: DataSource, content: Content): Outcome | undefined {
  const provisioner = provisionerOf(c)?.name;
  const driver = content.spec?.driver;
  if (provisioner === undefined || !driver || driver === provisioner) return undefined;
  const className = c.class.name;
  return {
    cause: 'restore-driver-mismatch',
    summary: `volumesnapshot/${source.name} was made by ${driver}, and class ${className} provisions with ${provisioner}: a driver can only restore its own snapshots`,
    evidence: [
      field(content, 'spec.driver'),
      c.storageClassObject
        ? field(c.storageClassObject, 'provisioner')
        : field(c.claim, 'metadata.annotations[volume.kubernetes.io/storage-provisioner]', provisioner),
      ...saidBy(c, lastRefusal(c, restoreTexts.driver)),
    ],
    fix: [remakeFix(c, `with a class of ${driver}`)],
  };
}

function notReady(c: PresentClaim, source: DataSource, snapshot: Snapshot, content: Content | undefined): Outcome {
  const error = snapshot.status?.error?.message ?? content?.status?.error?.message;
  // The driver has cut it and is storing it away, which takes its time: by design.
  const isStoring = content?.status?.snapshotHandle !== undefined && ageOf(c, snapshot) < longestUploadSeconds;
  const isWait = !error && (isStoring || isFresh(c, snapshot));
  return {
    cause: 'restore-snapshot-not-ready',
    ...(isWait && { severity: 'info' as const }),
    summary: `volumesnapshot/${source.name}, from which the claim is to be restored, is not ready to use${error ? ', and reports an error' : isStoring ? ': the driver still stores it away' : ''}`,
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'status.readyToUse'),
      ...(snapshot.status?.error?.message
        ? [field(snapshot, 'status.error.message')]
        : content?.status?.error?.message
          ? [field(content, 'status.error.message')]
          : []),
      ...saidBy(c, lastRefusal(c, restoreTexts.notReady)),
    ],
    fix: [
      fix(
        isWait
          ? 'look how far the snapshot is: the claim goes on by itself when it is ready'
          : 'see what ails the snapshot, and mend it first: the claim then goes on by itself',
        askAboutSnapshot(source),
      ),
    ],
  };
}

function withoutHandle(c: PresentClaim, source: DataSource, content: Content): Outcome | undefined {
  if (content.status?.snapshotHandle) return undefined;
  return {
    cause: 'restore-content-invalid',
    summary: `volumesnapshotcontent/${content.metadata.name} has no snapshot handle, so the driver cannot find snapshot ${source.name}`,
    evidence: [field(content, 'status.snapshotHandle'), ...saidBy(c, lastRefusal(c, restoreTexts.content))],
    fix: [
      fix(
        'look at the content, and restore from another snapshot, or let the snapshotter set the handle again',
        `kubectl describe volumesnapshotcontent ${shellWord(content.metadata.name)}`,
      ),
    ],
  };
}

function tooSmall(c: PresentClaim, source: DataSource, snapshot: Snapshot): Outcome | undefined {
  const size = snapshot.status?.restoreSize;
  const { request } = c;
  if (
    size === undefined ||
    request === undefined ||
    !isQuantity(size) ||
    !isQuantity(request) ||
    bytesOf(request) >= bytesOf(size)
  )
    return undefined;
  return {
    cause: 'restore-size-too-small',
    summary: `the claim asks for ${request}, and volumesnapshot/${source.name} needs at least ${formatBytes(bytesOf(size))}`,
    evidence: [
      field(c.claim, 'spec.resources.requests.storage'),
      field(snapshot, 'status.restoreSize'),
      ...saidBy(c, lastRefusal(c, restoreTexts.size)),
    ],
    fix: [remakeFix(c, `with a request of ${formatBytes(bytesOf(size))} or more`)],
  };
}

function otherMode(c: PresentClaim, content: Content): Outcome | undefined {
  const wanted = c.claim.spec?.volumeMode;
  const had = content.spec?.sourceVolumeMode;
  if (!wanted || !had || wanted === had || goTrue.includes(content.metadata.annotations?.[allowModeChange] ?? ''))
    return undefined;
  // The driver was called, so this provisioner does not mind (before 4.0 it had to be told to).
  if (lastRefusal(c, /rpc error: code = /)) return undefined;
  const name = content.metadata.name;
  return {
    cause: 'restore-volumemode-denied',
    summary: `the claim asks for volume mode ${wanted}, the snapshot was taken of a ${had} volume, and volumesnapshotcontent/${name} does not allow the change`,
    evidence: [
      field(c.claim, 'spec.volumeMode'),
      field(content, 'spec.sourceVolumeMode'),
      field(
        content,
        `metadata.annotations[${allowModeChange}]`,
        content.metadata.annotations?.[allowModeChange] ?? 'not set',
      ),
      ...saidBy(c, lastRefusal(c, restoreTexts.mode)),
    ],
    fix: [
      remakeFix(c, `with volumeMode ${had}`),
      fix(
        'or, if the data is meant to be read in the other mode, allow the change',
        `kubectl annotate volumesnapshotcontent ${shellWord(name)} ${allowModeChange}=true --overwrite`,
      ),
    ],
  };
}

function isFresh(c: PresentClaim, snapshot: Snapshot): boolean {
  return ageOf(c, snapshot) < freshSeconds;
}

function ageOf(c: PresentClaim, snapshot: Snapshot): number {
  const created = parseTime(snapshot.metadata.creationTimestamp);
  return created === undefined ? Number.POSITIVE_INFINITY : (c.now - created) / 1000;
}

function askAboutSnapshot(source: DataSource): string {
  return `kubectl csi why vs/${shellWord(source.name)} -n ${shellWord(source.namespace)}`;
}

export const restoreRules = rulesOf(
  [
    'restore-snapshot-missing',
    'restore-snapshot-deleting',
    'restore-snapshot-unbound',
    'restore-content-invalid',
    'restore-driver-mismatch',
    'restore-snapshot-not-ready',
    'restore-size-too-small',
    'restore-volumemode-denied',
  ],
  judgeRestore,
);
