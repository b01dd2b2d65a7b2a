import { logsFix } from '../../facts/driver/drivers.ts';
import { newestMatch } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, field, fix, shellWord } from '../../facts/evidence.ts';
import { beingCreatedAnnotation, beingDeletedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { finalizersText, silenceSeconds, terminatingContent, wasNeverBound } from './content-deletion.ts';
import { snapshotterOf } from './sidecar-trouble.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

/** deleteCSISnapshotOperation reports that it failed, but not why: the driver's answer is only in its log. */
export const snapDeleteFailed = ruleForBoth({
  cause: 'snap-delete-failed',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const content = terminatingContent(s);
    if (!content || !isSidecarsTurn(content)) return undefined;
    const said = deletionError(s, content);
    if (!said && s.secondsSince(content.metadata.deletionTimestamp) < silenceSeconds) return undefined;
    return {
      confidence: said ? 'likely' : 'possible',
      summary: `${content.spec?.driver ?? 'the driver'} does not delete snapshot ${content.status?.snapshotHandle ?? ''} of ${nameOf(s)} on the storage${said ? '' : ', or the csi-snapshotter cannot take the finalizer away'}: often a volume made from it still needs it; only the log tells`,
      evidence: evidenceOf(content, said),
      fix: adviceFor(s, content),
    };
  },
});

/** The controller has set its annotation, and no creation is pending. */
function isSidecarsTurn(content: SnapshotContent): boolean {
  const { annotations } = content.metadata;
  return (
    (annotations?.[beingDeletedAnnotation] !== undefined || wasNeverBound(content)) &&
    annotations?.[beingCreatedAnnotation] === undefined
  );
}

function deletionError(s: SnapshotCase, content: SnapshotContent): KubeEvent | undefined {
  return newestMatch(
    s.ask.eventsOf(content).items,
    'SnapshotDeleteError',
    /Failed to (?:delete snapshot|get snapshot credentials|clear content status)/,
  )?.event;
}

function evidenceOf(content: SnapshotContent, said: KubeEvent | undefined): EvidenceList {
  const mark = content.metadata.annotations?.[beingDeletedAnnotation];
  return [
    field(content, `metadata.annotations[${beingDeletedAnnotation}]`, mark ?? 'not set'),
    field(content, 'metadata.finalizers', finalizersText(content)),
    field(content, 'status.snapshotHandle', content.status?.snapshotHandle ?? 'not set'),
    ...(said ? [eventSaid(content, said)] : []),
  ];
}

function adviceFor(s: SnapshotCase, content: SnapshotContent): Fix[] {
  const driver = content.spec?.driver;
  return [
    ...(driver ? [logsFix(snapshotterOf(s, driver))] : []),
    fix('on the storage, remove what depends on the snapshot (clones, volumes restored from it)'),
    fix(
      'data-loss: only when the snapshot is gone from the storage, or may stay there unknown to the cluster, drop the finalizer by hand',
      `kubectl patch volumesnapshotcontent ${shellWord(content.metadata.name)} --type=merge -p ${shellWord('{"metadata":{"finalizers":null}}')}`,
      'data-loss',
    ),
  ];
}
