import { findLease } from '../../facts/driver/driver-lease.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import { componentOf, lastSeen } from '../../graph/events.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { beingCreatedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { driverWordsOf, quote } from './driver-words.ts';
import { isOpenCode } from '../lib/driver-error/grpc-codes.ts';
import { snapshotterOf } from './sidecar-trouble.ts';
import { explainClassMissing, explainDefaultNone } from './snapshot-class.ts';
import { errorSaid, nameOf, ruleForBoth } from './snapshot-rule.ts';
import { explainNotBound } from './snapshot-source.ts';

/** A call ends after a minute (--timeout of the sidecar) and is repeated: after ten of them it is no longer only slow. */
const patienceSeconds = 600;

/** createSnapshotWrapper: set before the call, taken away when it is known how the call ended. */
function isInFlight(s: SnapshotCase): boolean {
  const { content } = s;
  if (
    !content ||
    content.metadata.annotations?.[beingCreatedAnnotation] === undefined ||
    content.status?.snapshotHandle !== undefined
  )
    return false;
  const { code } = driverWordsOf(content.status?.error?.message ?? '');
  // What is used up does not come back by waiting.
  return content.status?.error?.message === undefined || (isOpenCode(code) && code !== 'ResourceExhausted');
}

export const snapCreateInFlight = ruleForBoth({
  cause: 'snap-create-in-flight',
  severity: 'info',
  explain(s) {
    const { content } = s;
    if (!content || !isInFlight(s)) return undefined;
    const driver = content.spec?.driver ?? 'the driver';
    const message = content.status?.error?.message;
    const words = message === undefined ? undefined : driverWordsOf(message);
    const since = content.metadata.creationTimestamp;
    const isLong = s.secondsSince(since) > patienceSeconds;
    if (!isLong && isSidecarHidden(s)) return undefined;
    return {
      ...(isLong && { severity: 'blocking' as const, about: driver }),
      summary: `${driver} was asked to take ${nameOf(s)}${isLong ? ` ${ageText(parseTime(since) ?? 0, s.now)} ago` : ''}, and how that ends is not known yet${words ? ` (${words.code ?? 'no code'}: ${quote(words.text)})` : ''}: the call is repeated until it does`,
      evidence: [
        field(
          content,
          `metadata.annotations[${beingCreatedAnnotation}]`,
          content.metadata.annotations?.[beingCreatedAnnotation],
        ),
        ...(message === undefined
          ? []
          : [field(content, 'status.error.message', message, content.status?.error?.time)]),
      ],
      fix: isLong ? [...(words?.advice ?? []), ...driverLog(s)] : [fix('wait: a slow storage needs its time')],
    };
  },
});

/** The sidecar wrote that the driver refused; once there is a status, a refusal to create is told as a failed check. */
export const snapCreateFailed = ruleForBoth({
  cause: 'snap-create-failed',
  severity: 'blocking',
  explain(s) {
    const { error, content } = s;
    if (
      isInFlight(s) ||
      content?.status?.snapshotHandle !== undefined ||
      content?.spec?.source?.snapshotHandle !== undefined
    )
      return undefined;
    if (!error) return explainEvent(s);
    const driver = s.driver ?? 'the driver';
    const words = driverWordsOf(error.message);
    const isDrivers = /failed to take snapshot of the volume/.test(error.message) || words.code !== undefined;
    if (!isDrivers && isToldElsewhere(s)) return undefined;
    if (!isDrivers) {
      return {
        // Of what the controller itself complains about, all that is well known has been looked at and was not found so.
        confidence: error.object.kind === 'VolumeSnapshotContent' ? 'certain' : 'likely',
        summary: `${nameOf(s)} cannot be taken: ${error.object.kind === 'VolumeSnapshot' ? 'the snapshot controller' : 'the csi-snapshotter'} says ${quote(words.text)}`,
        evidence: [field(error.object, 'status.error.message', error.message, error.time)],
        fix: [fix('act on what it says', describe(s))],
      };
    }
    return {
      about: `${driver}/${words.skeleton}`,
      summary: `${driver} refused to take the snapshot of volume ${content?.spec?.source?.volumeHandle ?? errorSaid(s, /of the volume (\S+):/)?.match[1] ?? ''}${words.meaning ? `, since ${words.meaning}` : ''} (${words.code ?? 'no code'}): ${quote(words.text)}`,
      evidence: [
        field(error.object, 'status.error.message', error.message, error.time),
        ...(content?.spec?.source?.volumeHandle === undefined ? [] : [field(content, 'spec.source.volumeHandle')]),
      ],
      fix: [
        ...words.advice,
        fix('act on what the driver says: the call is repeated by itself, at least every five minutes', describe(s)),
        ...driverLog(s),
      ],
    };
  },
});

/** Rules that know the words have spoken, or will not since what they complain of has been mended. */
function isToldElsewhere(s: SnapshotCase): boolean {
  if ([explainClassMissing, explainDefaultNone, explainNotBound].some((explain) => explain(s) !== undefined))
    return true;
  const isHidden = [
    s.contentLookup?.state,
    s.claim?.lookup.state,
    s.claim?.volume?.state,
    s.classLookup?.state,
  ].includes('unknown');
  return (
    isHidden &&
    errorSaid(
      s,
      /default snapshot class|CSI PersistentVolumeSource|non-CSI volumes|cannot get claim from snapshot|failed to retrieve PVC|VolumeSnapshotContent (?:\[|is )|credentials/,
    ) !== undefined
  );
}

/** What is written into no status: a finalizer or a content that the API server refused. */
function explainEvent(s: SnapshotCase) {
  const { snapshot } = s;
  if (!snapshot || s.content) return undefined;
  const said = s.ask
    .eventsOf(snapshot)
    .items.filter(
      (event) =>
        event.type === 'Warning' &&
        /snapshot-controller/.test(componentOf(event)) &&
        /^(?:CreateSnapshotContentFailed|SnapshotFinalizerError|SnapshotStatusUpdateFailed)$/.test(event.reason ?? ''),
    )
    .sort((a, b) => lastSeen(a) - lastSeen(b))
    .at(-1);
  if (!said) return undefined;
  return {
    confidence: 'likely' as const,
    summary: `${nameOf(s)} cannot be taken: the API server refused what the snapshot controller wrote, ${quote(said.message ?? said.note ?? '')}`,
    evidence: [eventSaid(snapshot, said)] as const,
    fix: [fix('give the snapshot controller the rights it needs, or change what refuses it', describe(s))],
  };
}

/** The snapshot exists on the storage, and asking after it fails (checkandUpdateContentStatus). */
export const snapStatusCheckFailed = ruleForBoth({
  cause: 'snap-status-check-failed',
  severity: 'blocking',
  explain(s) {
    const { error, content } = s;
    const handle = content?.status?.snapshotHandle ?? content?.spec?.source?.snapshotHandle;
    const said = errorSaid(s, /Failed to check and update snapshot content|failed to list snapshot/i);
    if (
      !error ||
      (handle === undefined &&
        (content !== undefined || !said || /failed to take snapshot of the volume/.test(error.message)))
    )
      return undefined;
    const driver = s.driver ?? 'the driver';
    const words = driverWordsOf(error.message);
    const isUnknown = words.code === 'NotFound' || /can not find snapshot|not found/i.test(words.text);
    return {
      ...(content === undefined && { confidence: 'likely' as const }),
      about: `${driver}/${words.skeleton}`,
      summary: `${driver} was asked after snapshot ${handle ?? ''} and ${isUnknown ? 'does not know it' : 'did not say how it is'}${words.meaning ? `, since ${words.meaning}` : ''}${words.code === undefined ? '' : ` (${words.code})`}: ${quote(words.text)}`,
      evidence: [
        field(error.object, 'status.error.message', error.message, error.time),
        ...(content && handle !== undefined
          ? [
              field(
                content,
                content.status?.snapshotHandle === undefined ? 'spec.source.snapshotHandle' : 'status.snapshotHandle',
                handle,
              ),
            ]
          : []),
      ],
      fix: [
        ...words.advice,
        isUnknown
          ? fix(
              'compare the handle with the snapshots on the storage; make content and snapshot again with the right one',
              describe(s),
              'disruptive',
            )
          : fix('act on what the driver says: it is asked again by itself', describe(s)),
        ...driverLog(s),
      ],
    };
  },
});

/** The driver has cut it and stores it away: the data of that moment are safe, and only restoring has to wait. */
export const snapNotReady = ruleForBoth({
  cause: 'snap-not-ready',
  severity: 'info',
  explain(s) {
    const { content, snapshot } = s;
    if (s.error || content?.status?.readyToUse === true) return undefined;
    const evidence = cutEvidence(s);
    const [first, ...others] = evidence;
    if (!first || (!content && snapshot?.status?.readyToUse === true) || isSidecarHidden(s)) return undefined;
    const since = parseTime(snapshot?.status?.creationTime) ?? parseTime(content?.metadata.creationTimestamp);
    return {
      summary: `${nameOf(s)} is taken, and ${s.driver ?? 'the driver'} still stores it away${since === undefined ? '' : ` (for ${ageText(since, s.now)})`}: it can be restored from when that is done`,
      evidence: [first, ...others],
      fix: [
        fix(
          'wait: large volumes take hours',
          `kubectl csi why ${s.subject.kind === 'VolumeSnapshot' ? 'vs' : 'vsc'}/${shellWord(s.subject.metadata.name)} ${inNamespace(s.subject.metadata.namespace)}`.trim(),
        ),
      ],
    };
  },
});

function cutEvidence({ content, snapshot, subject }: SnapshotCase): Evidence[] {
  const ready = field(subject, 'status.readyToUse');
  if (content?.status?.snapshotHandle !== undefined) return [field(content, 'status.snapshotHandle'), ready];
  // Who may not read contents sees the time of the cut in the snapshot.
  return !content && snapshot?.status?.creationTime !== undefined
    ? [field(snapshot, 'status.creationTime'), ready]
    : [];
}

/** updateSnapshotStatus clears the error when a snapshot becomes ready, but not what is written later. */
export const snapErrorStale = ruleForBoth({
  cause: 'snap-error-stale',
  severity: 'warning',
  explain(s) {
    const { status } = s.subject;
    if (status?.readyToUse !== true || !status.error?.message) return undefined;
    return {
      summary: `${nameOf(s)} is ready to use, though its status still holds an error: ${quote(status.error.message)}`,
      evidence: [
        field(s.subject, 'status.readyToUse'),
        field(s.subject, 'status.error.message', status.error.message, status.error.time),
      ],
      fix: [
        fix(
          'nothing has to be done to restore from it; if the error is about a class or a secret that is gone, bring that back before the snapshot is deleted',
        ),
      ],
    };
  },
});

/** One who may not look whether anybody is at work cannot say that waiting helps. A dump without leases is usual. */
function isSidecarHidden(s: SnapshotCase): boolean {
  if (!s.driver) return false;
  const lease = findLease(s.ask, s.driver, 'snapshotter');
  return (
    lease.state === 'unknown' &&
    ['denied', 'failed'].includes(
      s.ask.graph.coverage.of('Lease', { fieldSelector: `metadata.name=${lease.name}` }).state,
    )
  );
}

function describe(s: SnapshotCase): string {
  return `kubectl ${inNamespace(s.subject.metadata.namespace)}describe ${s.subject.kind.toLowerCase()} ${shellWord(s.subject.metadata.name)}`;
}

function driverLog(s: SnapshotCase): Fix[] {
  const { driver } = s;
  return driver ? [logsFix(snapshotterOf(s, driver), 'driver')] : [];
}
