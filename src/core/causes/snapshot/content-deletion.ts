import { logsFix } from '../../facts/driver/drivers.ts';
import { newestMatch } from '../../graph/events.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { beingCreatedAnnotation, beingDeletedAnnotation, managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import { provenSidecarTrouble, silentSidecarTrouble, snapshotterOf } from './sidecar-trouble.ts';
import { nameOf, ruleForBoth, ruleForContent } from './snapshot-rule.ts';

const contentFinalizer = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';
const settleSeconds = 60;
const silenceSeconds = 120;

/** A content that is to go and that the sidecar has not let go. */
function leaving(s: SnapshotCase): SnapshotContent | undefined {
  const { content } = s;
  return content?.metadata.deletionTimestamp !== undefined && content.metadata.finalizers?.includes(contentFinalizer)
    ? content
    : undefined;
}

/** Nobody was ever bound to it: the sidecar lets such a content go without more ado (shouldDelete). */
function isUnbound({ spec }: SnapshotContent): boolean {
  return spec?.source?.snapshotHandle !== undefined && !spec.volumeSnapshotRef?.uid;
}

/** The sidecar waits for the controller's mark, which comes when the snapshot itself is deleted. */
export const snapDeleteNoAnnotation = ruleForContent({
  cause: 'snap-delete-no-annotation',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const content = leaving(s);
    const { snapshotLookup } = s;
    if (
      !content ||
      isUnbound(content) ||
      content.metadata.annotations?.[beingDeletedAnnotation] !== undefined ||
      content.metadata.annotations?.[beingCreatedAnnotation] !== undefined
    )
      return undefined;
    if (
      !snapshotLookup ||
      (snapshotLookup.state === 'found' && snapshotLookup.object.metadata.deletionTimestamp !== undefined)
    )
      return undefined;
    const { name } = content.metadata;
    const reference = content.spec?.volumeSnapshotRef;
    const isRetained = content.spec?.deletionPolicy === 'Retain';
    const mark = field(content, `metadata.annotations[${beingDeletedAnnotation}]`, 'not set');
    if (snapshotLookup.state === 'found') {
      const { name: snapshotName, namespace } = snapshotLookup.object.metadata;
      return {
        summary: `volumesnapshotcontent/${name} was deleted itself, and stays as long as its volumesnapshot/${snapshotName} (namespace ${namespace ?? ''}) is not deleted`,
        evidence: [
          field(content, 'metadata.deletionTimestamp'),
          mark,
          field(snapshotLookup.object, 'metadata.deletionTimestamp'),
        ],
        fix: [
          fix('nothing is lost: the snapshot can still be used'),
          fix(
            `data-loss: to be rid of both${isRetained ? '' : ', and of the snapshot on the storage'}, delete the snapshot`,
            `kubectl ${inNamespace(namespace)}delete volumesnapshot ${shellWord(snapshotName)}`,
            'data-loss',
          ),
        ],
      };
    }
    const isGone = snapshotLookup.state === 'missing';
    const snapshotName = `${reference?.namespace ?? ''}/${reference?.name ?? ''}`;
    return {
      ...(!isGone && { confidence: 'likely' as const }),
      summary: isGone
        ? `volumesnapshotcontent/${name} was deleted, but its snapshot ${snapshotName} is gone, so nobody tells the csi-snapshotter to let it go`
        : `volumesnapshotcontent/${name} was deleted itself, and stays until its snapshot ${snapshotName} is deleted; whether that still exists could not be seen`,
      evidence: [
        field(content, 'metadata.deletionTimestamp'),
        mark,
        ...(isGone ? [absent('VolumeSnapshot', reference?.name ?? '', reference?.namespace)] : []),
      ],
      fix: [
        ...(isRetained
          ? []
          : [
              fix(
                'to keep the snapshot on the storage, set the policy to Retain first',
                `kubectl patch volumesnapshotcontent ${shellWord(name)} --type=merge -p ${shellWord('{"spec":{"deletionPolicy":"Retain"}}')}`,
              ),
            ]),
        fix(
          `data-loss: set the mark in place of the controller; the csi-snapshotter then lets the content go${isRetained ? '' : ' and, with policy Delete, deletes the snapshot on the storage'}`,
          `kubectl annotate volumesnapshotcontent ${shellWord(name)} ${beingDeletedAnnotation}=yes`,
          'data-loss',
        ),
      ],
    };
  },
});

/** Only the sidecar can delete the snapshot on the storage and take the finalizer away. */
export const snapDeleteSidecarDown = ruleForBoth({
  cause: 'snap-delete-sidecar-down',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const content = leaving(s);
    const driver = content?.spec?.driver;
    if (!content || !driver || s.secondsSince(content.metadata.deletionTimestamp) < settleSeconds) return undefined;
    const isLong =
      s.secondsSince(content.metadata.deletionTimestamp) >= silenceSeconds &&
      content.metadata.labels?.[managedByLabel] === undefined;
    const trouble = provenSidecarTrouble(s, driver) ?? (isLong ? silentSidecarTrouble(s, driver, content) : undefined);
    // Where nothing of the sidecar could be seen, a driver that refuses is as likely.
    if (!trouble || trouble.confidence === 'possible') return undefined;
    return {
      confidence: trouble.confidence,
      about: driver,
      summary: `${trouble.words}, so nobody deletes ${nameOf(s)} on the storage`,
      evidence: [...trouble.evidence, field(content, 'metadata.finalizers', content.metadata.finalizers?.join(', '))],
      fix: trouble.fix,
    };
  },
});

/** shouldDelete: as long as nobody knows whether the storage makes the snapshot, deleting could leave it behind there. */
export const snapDeleteWaitsCreate = ruleForBoth({
  cause: 'snap-delete-waits-create',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const content = leaving(s);
    const mark = content?.metadata.annotations?.[beingCreatedAnnotation];
    if (!content || mark === undefined || isUnbound(content)) return undefined;
    const driver = content.spec?.driver;
    const error = content.status?.error;
    return {
      ...(driver && { about: driver }),
      summary: `${nameOf(s)} is deleted only when it is known how its creation ended, and ${driver ?? 'the driver'} has not said so yet`,
      evidence: [
        field(content, `metadata.annotations[${beingCreatedAnnotation}]`, mark),
        ...(error?.message ? [field(content, 'status.error.message', error.message, error.time)] : []),
      ],
      fix: [
        fix(
          'let the driver finish: it is asked again by itself; mend what keeps it from answering',
          `kubectl describe volumesnapshotcontent ${shellWord(content.metadata.name)}`,
        ),
        ...(driver ? [logsFix(snapshotterOf(s, driver), 'driver')] : []),
      ],
    };
  },
});

/** deleteCSISnapshotOperation tells that it failed, but not why: the answer of the driver is in its log only. */
export const snapDeleteFailed = ruleForBoth({
  cause: 'snap-delete-failed',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const content = leaving(s);
    const driver = content?.spec?.driver;
    if (
      !content ||
      (content.metadata.annotations?.[beingDeletedAnnotation] === undefined && !isUnbound(content)) ||
      content.metadata.annotations?.[beingCreatedAnnotation] !== undefined
    )
      return undefined;
    const said = newestMatch(
      s.ask.eventsOf(content).items,
      'SnapshotDeleteError',
      /Failed to (?:delete snapshot|get snapshot credentials|clear content status)/,
    );
    if (!said && s.secondsSince(content.metadata.deletionTimestamp) < silenceSeconds) return undefined;
    const handle = content.status?.snapshotHandle;
    const { name } = content.metadata;
    return {
      confidence: said ? 'likely' : 'possible',
      summary: `${driver ?? 'the driver'} does not delete snapshot ${handle ?? ''} of ${nameOf(s)} on the storage${said ? '' : ', or the csi-snapshotter cannot take the finalizer away'}: often a volume made from it still needs it; only the log tells`,
      evidence: [
        field(
          content,
          `metadata.annotations[${beingDeletedAnnotation}]`,
          content.metadata.annotations?.[beingDeletedAnnotation] ?? 'not set',
        ),
        field(content, 'metadata.finalizers', content.metadata.finalizers?.join(', ')),
        field(content, 'status.snapshotHandle', handle ?? 'not set'),
        ...(said ? [eventSaid(content, said.event)] : []),
      ],
      fix: [
        ...(driver ? [logsFix(snapshotterOf(s, driver))] : []),
        fix('on the storage, remove what depends on the snapshot (clones, volumes restored from it)'),
        fix(
          'data-loss: only when the snapshot is gone from the storage, or may stay there unknown to the cluster, drop the finalizer by hand',
          `kubectl patch volumesnapshotcontent ${shellWord(name)} --type=merge -p ${shellWord('{"metadata":{"finalizers":null}}')}`,
          'data-loss',
        ),
      ],
    };
  },
});
