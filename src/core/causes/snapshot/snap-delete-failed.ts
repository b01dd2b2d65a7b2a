import { logsFix } from '../../facts/driver/drivers.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { eventSaid, field, shellWord } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { beingCreatedAnnotation, beingDeletedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { deletionFailedText } from '../lib/driver-error/senses/kubernetes.ts';
import { beforeRpcError, deleteFailedTexts } from '../lib/driver-error/sentences/snapshots.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { retainContent } from '../lib/snapshot-content.ts';
import { steps } from '../lib/steps.ts';
import { finalizersText, silenceSeconds, terminatingContent, wasNeverBound } from './content-deletion.ts';
import { losesData, storedText } from './deletion-fixes.ts';
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
    const kept = keptAnswer(content);
    if (!said && kept === undefined && s.secondsSince(content.metadata.deletionTimestamp) < silenceSeconds)
      return undefined;
    const answer = (said && answerIn(said)) ?? kept;
    return {
      confidence: confidenceOf(said, answer),
      summary:
        `${content.spec?.driver ?? 'The driver'} ` +
        `${answer === undefined ? 'has not deleted' : 'does not delete'} ${storedText(content)} of ` +
        `${nameOf(s)}${reportText(said, answer)}`,
      evidence: [...evidenceOf(content, said), ...(kept === undefined ? [] : [field(content, 'status.error.message')])],
      fix: adviceFor(s, content),
    };
  },
});

/** The event says only that the deletion failed; the line in the log has the driver's answer. */
function answerIn(said: KubeEvent): string | undefined {
  const { code, words } = parseDriverError(said);
  return code === undefined ? undefined : quoteWords(words === '' ? code : words);
}

/** Newer sidecars keep the answer to DeleteSnapshot in the status; an error of the creation may be left there too. */
function keptAnswer({ status }: SnapshotContent): string | undefined {
  const message = status?.error?.message ?? '';
  if (!deletionFailedText.test(message)) return undefined;
  const { code, words } = parseDriverError(message.replace(beforeRpcError, ''));
  return code === undefined ? undefined : quoteWords(words === '' ? code : words);
}

function confidenceOf(said: KubeEvent | undefined, answer: string | undefined): Confidence {
  if (answer !== undefined) return 'certain';
  return said ? 'likely' : 'possible';
}

function reportText(said: KubeEvent | undefined, answer: string | undefined): string {
  if (answer !== undefined) return `. It answers ${answer}.`;
  const why = 'Why is only in its log; often a volume that was restored from the snapshot still needs it.';
  return said
    ? `: the csi-snapshotter reports "${messageOf(said)}". ${why}`
    : `, or the csi-snapshotter could not remove its finalizer. ${why}`;
}

/** The controller has set its annotation, and no creation is pending. */
function isSidecarsTurn(content: SnapshotContent): boolean {
  const { annotations } = content.metadata;
  return (
    (annotations?.[beingDeletedAnnotation] !== undefined || wasNeverBound(content)) &&
    annotations?.[beingCreatedAnnotation] === undefined
  );
}

function deletionError(s: SnapshotCase, content: SnapshotContent): KubeEvent | undefined {
  return newestMatch(s.ask.eventsOf(content).items, 'SnapshotDeleteError', deleteFailedTexts)?.event;
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
  const text =
    `Ask the owner of the storage what still depends on ${storedText(content)}${dependentsText(s)}, and ` +
    "remove that; the log of the csi-snapshotter has the driver's answer. The deletion is retried within 5 " +
    'minutes';
  const lost = losesData(content);
  return [
    steps(
      lost ? `${text} and then removes it from the storage.` : `${text}.`,
      logCommands(s, content),
      lost ? 'data-loss' : 'safe',
    ),
    ...leaveOnStorage(content),
  ];
}

/** Claims of the namespace that name the snapshot as their source: their volumes may be built on it. */
function dependentsText({ snapshot, ask }: SnapshotCase): string {
  const { name, namespace } = snapshot?.metadata ?? {};
  const names = ask
    .seen('PersistentVolumeClaim')
    .filter(({ metadata, spec }) => metadata.namespace === namespace && spec?.dataSource?.name === name)
    .filter(({ spec }) => spec?.dataSource?.kind === 'VolumeSnapshot')
    .map(({ metadata }) => `pvc/${metadata.name}`);
  if (snapshot === undefined || names.length === 0) return ' (volumes restored from it, clones, images, exports)';
  return ` (${nameAll(names)} ${names.length > 1 ? 'were' : 'was'} restored from it)`;
}

function logCommands(s: SnapshotCase, { spec }: SnapshotContent): string[] {
  if (!spec?.driver) return [];
  const controller = snapshotterOf(s, spec.driver);
  const { command } = logsFix(controller);
  const isKnown = controller.pods.items.length > 0 || controller.workload !== undefined;
  const read =
    `kubectl -n ${shellWord(controller.lease.object?.metadata.namespace ?? 'PLACEHOLDER_NAMESPACE')} logs ` +
    'PLACEHOLDER_POD -c csi-snapshotter --tail=50';
  return [...(command === undefined ? [] : [command]), ...(isKnown ? [] : [read])];
}

/** syncContent of the sidecar: with policy Retain it removes its finalizer without calling the driver. */
function leaveOnStorage(content: SnapshotContent): Fix[] {
  if (!losesData(content)) return [];
  return [
    steps(
      `Or leave ${storedText(content)} on the storage: with policy Retain the csi-snapshotter removes its ` +
        'finalizer without calling the driver, and the objects go at once. The data is then kept, and has to ' +
        'be removed on the storage when it is no longer needed.',
      [retainContent(content)],
    ),
  ];
}
