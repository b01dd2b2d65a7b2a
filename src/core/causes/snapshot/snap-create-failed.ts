import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotError } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { driverWordsOf, quote } from './driver-words.ts';
import { explainClassMissing } from './snap-class-missing.ts';
import { explainDefaultNone } from './snap-default-class-none.ts';
import { explainNotBound } from './snap-source-not-bound.ts';
import { describeCommand, driverLogFixes, isInFlight } from './snapshot-progress.ts';
import { errorEvidence, matchError, nameOf, ruleForBoth } from './snapshot-rule.ts';

/** The sidecar reports the driver's refusal; once there is a status, a refusal to create is reported as a failed check. */
export const snapCreateFailed = ruleForBoth({
  cause: 'snap-create-failed',
  severity: 'blocking',
  explain(s) {
    if (isInFlight(s) || existsOnStorage(s)) return undefined;
    if (!s.error) return explainRefusedWrite(s);
    if (isDriversAnswer(s.error)) return explainDriverError(s, s.error);
    return isExplainedElsewhere(s) ? undefined : explainControllerError(s, s.error);
  },
});

function existsOnStorage({ content }: SnapshotCase): boolean {
  return content?.status?.snapshotHandle !== undefined || content?.spec?.source?.snapshotHandle !== undefined;
}

function isDriversAnswer({ message }: SnapshotError): boolean {
  return /failed to take snapshot of the volume/.test(message) || driverWordsOf(message).code !== undefined;
}

function explainDriverError(s: SnapshotCase, error: SnapshotError): Explanation {
  const { content } = s;
  const driver = s.driver ?? 'the driver';
  const words = driverWordsOf(error.message);
  const handle = content?.spec?.source?.volumeHandle;
  const volume = handle ?? matchError(s, /of the volume (\S+):/)?.match[1] ?? '';
  return {
    about: `${driver}/${words.skeleton}`,
    summary: `${driver} refused to take the snapshot of volume ${volume}${words.meaning ? `, since ${words.meaning}` : ''} (${words.code ?? 'no code'}): ${quote(words.text)}`,
    evidence: [
      errorEvidence(error),
      ...(content && handle !== undefined ? [field(content, 'spec.source.volumeHandle')] : []),
    ],
    fix: [
      ...words.advice,
      fix(
        'act on what the driver says: the call is repeated by itself, at least every five minutes',
        describeCommand(s),
      ),
      ...driverLogFixes(s),
    ],
  };
}

/** What the controller itself complains about: every well-known fault was ruled out before, so its words are only likely. */
function explainControllerError(s: SnapshotCase, error: SnapshotError): Explanation {
  const isControllers = error.object.kind === 'VolumeSnapshot';
  return {
    confidence: isControllers ? 'likely' : 'certain',
    summary: `${nameOf(s)} cannot be taken: ${isControllers ? 'the snapshot controller' : 'the csi-snapshotter'} says ${quote(driverWordsOf(error.message).text)}`,
    evidence: [errorEvidence(error)],
    fix: [fix('act on what it says', describeCommand(s))],
  };
}

/** A rule that knows the words explains them, or is silent because what they complain about has been repaired. */
function isExplainedElsewhere(s: SnapshotCase): boolean {
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
    matchError(
      s,
      /default snapshot class|CSI PersistentVolumeSource|non-CSI volumes|cannot get claim from snapshot|failed to retrieve PVC|VolumeSnapshotContent (?:\[|is )|credentials/,
    ) !== undefined
  );
}

/** The API server refused a finalizer or a content: that is reported as an event, and in no status. */
function explainRefusedWrite(s: SnapshotCase): Explanation | undefined {
  const { snapshot } = s;
  if (!snapshot || s.content) return undefined;
  const said = s.ask
    .eventsOf(snapshot)
    .items.filter(isRefusedWrite)
    .sort((a, b) => lastSeen(a) - lastSeen(b))
    .at(-1);
  if (!said) return undefined;
  return {
    confidence: 'likely',
    summary: `${nameOf(s)} cannot be taken: the API server refused what the snapshot controller wrote, ${quote(messageOf(said))}`,
    evidence: [eventSaid(snapshot, said)],
    fix: [fix('give the snapshot controller the rights it needs, or change what refuses it', describeCommand(s))],
  };
}

function isRefusedWrite(event: KubeEvent): boolean {
  return (
    event.type === 'Warning' &&
    /snapshot-controller/.test(componentOf(event)) &&
    /^(?:CreateSnapshotContentFailed|SnapshotFinalizerError|SnapshotStatusUpdateFailed)$/.test(event.reason ?? '')
  );
}
