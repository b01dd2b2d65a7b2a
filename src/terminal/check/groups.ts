import type { JudgedFinding, Outcome } from '../../core/report/check.ts';
import type { ObjectRef, Severity, Unread } from '../../core/report/report.ts';
import { whyUnread } from '../../core/report/why-unread.ts';
import { contextFlag } from '../../core/kube/context-flag.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import type { Source } from '../../core/kube/snapshot.ts';
import { parseTime } from '../../core/kube/time.ts';

/** All findings with the same reason. */
export interface CheckGroup {
  readonly id: string;
  readonly type: JudgedFinding['type'];
  readonly severity: Severity;
  readonly outcome: Outcome;
  readonly summary: string;
  readonly findings: readonly [JudgedFinding, ...JudgedFinding[]];
}

/** In the order of the findings: the worst first. */
export function groupFindings(findings: readonly JudgedFinding[]): CheckGroup[] {
  const groups = Map.groupBy(findings, ({ id, severity, outcome, group, ignoredBy = '' }) =>
    [id, severity, outcome, group, ignoredBy].join('|'),
  );
  return [...groups.values()].flatMap((members): CheckGroup[] => {
    const [first, ...others] = members;
    if (!first) return [];
    const { id, type, severity, outcome } = first;
    return [
      {
        id,
        type,
        severity,
        outcome,
        summary: others.length === 0 ? first.summary : first.group,
        findings: [first, ...others],
      },
    ];
  });
}

/** `pvc/data -n shop`, as `why` takes it. */
export function objectWords({ kind, name, namespace, context }: ObjectRef): string {
  const place = namespace === undefined ? '' : ` -n ${namespace}`;
  return `${shortNameOf(kind)}/${name}${place}${context === undefined ? '' : ` ${contextFlag(context)}`}`;
}

/** The first object; of several, their number first: `7 objects, e.g. pvc/data -n shop`. */
export function subjectWords({ findings: [first, ...others] }: CheckGroup): string {
  const name = objectWords(first.object);
  return others.length === 0 ? name : `${others.length + 1} objects, e.g. ${name}`;
}

/** Since when the first of the objects has been stuck. */
export function oldestSince({ findings }: CheckGroup): string | undefined {
  return findings
    .flatMap(({ since }) => since ?? [])
    .toSorted((one, other) => (parseTime(one) ?? 0) - (parseTime(other) ?? 0))[0];
}

/** The names of the first objects, and the number of others. */
export function subjectList({ findings }: CheckGroup, most: number): string {
  const names = findings.map(({ object }) => objectWords(object));
  return names.length <= most + 1
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}

/** `in 7 of 40 clusters: a, b, …`; empty where the check is of one cluster. */
export function clusterWords({ findings }: CheckGroup, source: Source, most: number): string {
  const contexts = [...new Set(findings.flatMap(({ context }) => context ?? []))];
  if (contexts.length === 0) return '';
  const total = (source.contexts ?? []).filter(({ status }) => status !== 'same').length;
  const shown = contexts.length <= most + 1 ? contexts : contexts.slice(0, most);
  const left = contexts.length - shown.length;
  const noun = source.type === 'cluster' ? 'cluster' : 'dump';
  const names = `${shown.join(', ')}${left === 0 ? '' : ` and ${left} more`}`;
  return `in ${contexts.length} of ${total} ${total === 1 ? noun : `${noun}s`}: ${names}`;
}

/** `1 warning, 17 blocking`: zeros are left out. */
export function countWords(counts: readonly (readonly [count: number, one: string, many?: string])[]): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, one, many = one]) => `${count} ${count === 1 ? one : many}`)
    .join(', ');
}

/** `csinodes (forbidden)`, each once; of several clusters, with their names. */
export function unreadWords(unread: readonly Unread[]): string[] {
  const words = Map.groupBy(unread, (entry) => `${entry.resource} (${whyUnread(entry)})`);
  return [...words].map(([text, same]) => {
    const contexts = [...new Set(same.flatMap(({ context }) => context ?? []))];
    return contexts.length === 0 ? text : `${text} in ${contexts.join(', ')}`;
  });
}
