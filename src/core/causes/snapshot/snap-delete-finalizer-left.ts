import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
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
import { ruleForSnapshot } from './snapshot-rule.ts';

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
      fix: adviceFor(left.snapshot, trouble),
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
  const { name, deletionTimestamp } = snapshot.metadata;
  const [finalizer, verb] = names.length > 1 ? ['finalizers', 'are'] : ['finalizer', 'is'];
  return `volumesnapshot/${name} was deleted ${ageText(parseTime(deletionTimestamp) ?? 0, s.now)} ago and its content is ${othersContent ? "another snapshot's" : 'gone'}, but its ${finalizer} ${names.join(', ')} ${verb} still there${trouble ? `: the snapshot controller ${trouble.words}` : ''}`;
}

function contentEvidence({ snapshot, othersContent, isUnread }: Leftover, contentName: string): Evidence {
  if (othersContent) return field(othersContent, 'spec.volumeSnapshotRef');
  return isUnread ? note(snapshot, 'its content was not seen') : absent('VolumeSnapshotContent', contentName);
}

function adviceFor({ metadata }: VolumeSnapshot, trouble: SnapshotTrouble | undefined): Fix[] {
  const readLog = fix(
    'see in the log of the snapshot controller why it does not take them away (rights, a webhook)',
    'kubectl get deploy,pods -A | grep -i snapshot-controller',
  );
  return [
    ...(trouble?.fix ?? [readLog]),
    fix(
      'only if the controller is gone for good, take them away by hand: the snapshot on the storage is not touched by that',
      `kubectl ${inNamespace(metadata.namespace)}patch volumesnapshot ${shellWord(metadata.name)} --type=merge -p ${shellWord('{"metadata":{"finalizers":null}}')}`,
      'disruptive',
    ),
  ];
}
