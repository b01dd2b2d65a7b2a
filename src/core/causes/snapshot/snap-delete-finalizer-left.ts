import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, note } from '../../facts/evidence.ts';
import type { Workload } from '../../facts/driver/driver-pods.ts';
import { controllerContainerOf } from '../../facts/snapshot/snapshot-controller.ts';
import { belongsTo } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { aboutController, provenTrouble } from './controller-trouble.ts';
import type { SnapshotTrouble } from './controller-trouble.ts';
import {
  finalizers,
  finalizersEvidence,
  finalizersOf,
  settleSeconds,
  terminatingSnapshot,
} from './snapshot-deletion.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { releaseCommand } from '../lib/release-finalizers.ts';
import { objectText, ruleForSnapshot } from './snapshot-rule.ts';

/** The content is gone or belongs to another snapshot, so the controller has nothing left to wait for. */
export const snapDeleteFinalizerLeft = ruleForSnapshot({
  cause: 'snap-delete-finalizer-left',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const left = findLeftover(s);
    if (!left) return undefined;
    const trouble = provenTrouble(s);
    return {
      confidence: left.isUnread ? 'likely' : 'certain',
      ...(trouble && { about: aboutController }),
      summary: summarize(s, left, trouble),
      evidence: [
        finalizersEvidence(left.snapshot),
        contentEvidence(left, s.contentName ?? ''),
        ...(trouble?.evidence ?? []),
      ],
      fix: adviceFor(s, left, trouble),
    };
  },
});

interface Leftover {
  readonly snapshot: VolumeSnapshot;
  /** Finalizers that the snapshot controller removes. */
  readonly names: readonly string[];
  /** The content that the snapshot names and that belongs to another. */
  readonly othersContent: SnapshotContent | undefined;
  /** No content is in the dump. */
  readonly isUnread: boolean;
}

function findLeftover(s: SnapshotCase): Leftover | undefined {
  const snapshot = terminatingSnapshot(s);
  if (!snapshot || s.leavingSeconds < settleSeconds) return undefined;
  const own: readonly string[] = [finalizers.asSource, finalizers.bound, finalizers.inGroup];
  const names = finalizersOf(snapshot).filter((finalizer) => own.includes(finalizer));
  if (names.length === 0) return undefined;
  const { content, contentLookup, contentName = '' } = s;
  const othersContent = content && !belongsTo(content, snapshot) ? content : undefined;
  // A dump with snapshots and not a single content most likely comes from a cluster without any.
  const isUnread =
    contentLookup?.state === 'unknown' &&
    s.ask.graph.coverage.of('VolumeSnapshotContent', { name: contentName }).state === 'unread';
  if (contentLookup?.state !== 'missing' && !othersContent && !isUnread) return undefined;
  return { snapshot, names, othersContent, isUnread };
}

function summarize(
  s: SnapshotCase,
  { snapshot, names, othersContent }: Leftover,
  trouble: SnapshotTrouble | undefined,
): string {
  const { deletionTimestamp } = snapshot.metadata;
  const age = ageText(parseTime(deletionTimestamp) ?? 0, s.now);
  const content = othersContent ? 'belongs to another snapshot' : 'is gone';
  const left = names.length > 1 ? `finalizers ${names.join(', ')} are` : `finalizer ${names.join('')} is`;
  const why = trouble ? ` ${trouble.words}` : ' The snapshot controller should have removed it.';
  return `${objectText(snapshot)} was deleted ${age} ago and its content ${content}, but ${left} left.${why}`;
}

function contentEvidence({ snapshot, othersContent, isUnread }: Leftover, contentName: string): Evidence {
  if (othersContent) return field(othersContent, 'spec.volumeSnapshotRef');
  return isUnread ? note(snapshot, 'its content was not seen') : absent('VolumeSnapshotContent', contentName);
}

/** The content is gone or belongs to another snapshot: nothing on the storage is touched. */
function adviceFor(s: SnapshotCase, { snapshot, names }: Leftover, trouble: SnapshotTrouble | undefined): Fix[] {
  const release = steps(
    `${trouble ? 'Only if the snapshot controller is gone for good, remove' : 'If that does not help, remove'} ` +
      'exactly what it left. The object then goes; nothing on the storage is touched.',
    [saveCommand(snapshot), releaseCommand(snapshot, names)],
    'disruptive',
  );
  return [...(trouble?.fix ?? [restartController(s)]), release];
}

/**
 * It runs and does not act: a fresh process syncs everything, and its log shows what refuses it (rights, a webhook).
 */
function restartController({ ask }: SnapshotCase): Fix {
  const text =
    'Restart the snapshot controller, which then syncs the snapshot again. ' +
    'If the finalizer stays, its log names what refuses it (missing rights, a webhook).';
  const workload = (['Deployment', 'StatefulSet'] as const)
    .flatMap((kind): readonly Workload[] => ask.seen(kind))
    .find(({ spec }) => controllerContainerOf(spec?.template?.spec));
  if (workload) return steps(text, [kubectl('rollout restart', workload)], 'disruptive');
  return steps(
    `${text} PLACEHOLDER_NAMESPACE and PLACEHOLDER_WORKLOAD (TYPE/NAME) are in the first line.`,
    [
      'kubectl get deploy,sts -A -o wide | grep -i snapshot-controller',
      'kubectl -n PLACEHOLDER_NAMESPACE rollout restart PLACEHOLDER_WORKLOAD',
    ],
    'disruptive',
  );
}
