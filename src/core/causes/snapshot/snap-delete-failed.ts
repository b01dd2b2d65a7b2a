import { knownLogs, logsFix } from '../../facts/driver/drivers.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import type { Claim, KubeEvent, Pod } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
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
import { linesAbout, steps } from '../lib/steps.ts';
import { storageViewOf } from '../lib/storage-view.ts';
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
    const dependents = dependentsOf(s);
    const answer = (said && answerIn(said)) ?? kept;
    return {
      confidence: confidenceOf(said, answer),
      summary: `${content.spec?.driver ?? 'The driver'} ${answer === undefined ? 'has not deleted' : 'does not delete'} ${storedText(content)} of ${nameOf(s)}${reportText(said, answer, dependents)}`,
      evidence: [
        ...evidenceOf(content, said),
        ...(kept === undefined ? [] : [field(content, 'status.error.message')]),
        ...dependents.slice(0, 3).map(dependentEvidence),
      ],
      fix: adviceFor(s, content, answer, dependents),
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

function reportText(said: KubeEvent | undefined, answer: string | undefined, dependents: readonly Dependent[]): string {
  if (answer !== undefined) return `. It answers ${answer}.`;
  const names = nameAll(dependents.map(dependentText));
  const why =
    dependents.length > 0
      ? `Why is only in its log; ${names} ${dependents.length > 1 ? 'were' : 'was'} restored from it, so the storage probably still needs the snapshot for ${dependents.length > 1 ? 'them' : 'it'}.`
      : 'Why is only in its log; often a volume that was restored from the snapshot still needs it.';
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

function adviceFor(
  s: SnapshotCase,
  content: SnapshotContent,
  answer: string | undefined,
  dependents: readonly Dependent[],
): Fix[] {
  const lost = losesData(content);
  const logs = logCommands(s, content);
  const read = answer === undefined && dependents.length > 0 && logs.length > 0;
  const names = nameAll(dependents.map(({ claim }) => `pvc/${claim.metadata.name}`));
  const view = storageViewOf(content.spec?.driver, undefined);
  const text =
    dependents.length > 0
      ? `Ask ${view.team} to make the volume of ${names} independent of ${storedText(content)} (split or flatten the clone; it then needs the space of a full copy)`
      : `Ask ${view.team} what still depends on ${storedText(content)} (volumes restored from it, clones, images, exports), and remove that; the log of the csi-snapshotter has the driver's answer`;
  const then = `The deletion is retried within 5 minutes${lost ? ' and then removes it from the storage' : ''}.`;
  return [
    ...(read
      ? [
          steps(
            `Read what the driver answers. If it calls the snapshot busy, in use or a parent of clones, go on with step 2; anything else it names is corrected there, and the deletion is retried within 5 minutes.`,
            logs,
          ),
        ]
      : []),
    steps(`${text}. ${then}`, read ? [] : logs, lost ? 'data-loss' : 'safe'),
    ...leaveOnStorage(content),
  ];
}

/** A claim that was restored from the snapshot, and a pod that uses it. */
interface Dependent {
  readonly claim: Claim;
  readonly pod: Pod | undefined;
}

/** Claims of the namespace that name the snapshot as their source: their volumes may be built on it. */
function dependentsOf({ snapshot, ask }: SnapshotCase): readonly Dependent[] {
  const { name, namespace } = snapshot?.metadata ?? {};
  if (snapshot === undefined) return [];
  return ask
    .seen('PersistentVolumeClaim')
    .filter(({ metadata, spec }) => metadata.namespace === namespace && spec?.dataSource?.name === name)
    .filter(({ spec, status }) => spec?.dataSource?.kind === 'VolumeSnapshot' && status?.phase === 'Bound')
    .map((claim) => ({
      claim,
      pod: ask.graph
        .podsUsing({ namespace: namespace ?? '', name: claim.metadata.name })
        .find(({ status }) => status?.phase === 'Running'),
    }));
}

function dependentText({ claim, pod }: Dependent): string {
  return `pvc/${claim.metadata.name}${pod ? ` (in use by pod/${pod.metadata.name})` : ''}`;
}

function dependentEvidence({ claim, pod }: Dependent): Evidence {
  return field(
    claim,
    'spec.dataSource.name',
    `${claim.spec?.dataSource?.name ?? ''}${pod ? `, used by pod/${pod.metadata.name}` : ''}`,
  );
}

function logCommands(s: SnapshotCase, { spec, metadata }: SnapshotContent): string[] {
  if (!spec?.driver) return [];
  const controller = snapshotterOf(s, spec.driver);
  const { command } = logsFix(controller);
  const isKnown = controller.pods.items.length > 0 || controller.workload !== undefined;
  const read = `kubectl -n ${shellWord(controller.lease.object?.metadata.namespace ?? 'PLACEHOLDER_NAMESPACE')} logs PLACEHOLDER_POD -c csi-snapshotter --tail=50`;
  return [
    ...(command === undefined ? [] : [isKnown ? linesAbout(command, metadata.name) : command]),
    ...(isKnown ? [] : [read]),
    ...knownLogs(controller, 'driver').flatMap((log) => log.command ?? []),
  ];
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
