import { commandInContext } from '../../kube/command-context.ts';
import { parseTime } from '../../kube/time.ts';
import type { Counts, Extent, Status, StuckCause, UsageStatus } from '../../report/status.ts';
import type { ContextAnswer, SeveralSources, ReadContext } from './context-answer.ts';
import {
  entriesInContext,
  headOfContexts,
  inContext,
  readContexts,
  sentenceOf,
  sharedNamespace,
  sharedSentence,
  sumSummaries,
  unreadContexts,
} from './context-answer.ts';

/** The screens of several clusters as one document: what has a name names its cluster, and counts are sums. */
export function mergeStatus(answers: readonly ContextAnswer<Status>[], sources: SeveralSources): Status {
  const { kubeconfig } = sources;
  const read = readContexts(answers);
  const documents = read.map(({ document }) => document);
  const each = <Entry extends object>(entriesOf: (status: Status) => readonly Entry[]) =>
    entriesInContext(read, entriesOf);
  const usage = mergeUsage(read);
  const isWhole = answers.every(({ type }) => type !== 'unread');
  const extentOf = (of: (status: Status) => Extent): Extent => mergeExtents(documents.map(of), isWhole);
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Status',
    ...headOfContexts(answers, sources, ({ summary }) => summary),
    ...sharedNamespace(read),
    driversKnown: extentOf(({ driversKnown }) => driversKnown),
    drivers: each(({ drivers }) => drivers),
    nodesKnown: extentOf(({ nodesKnown }) => nodesKnown),
    nodes: each(({ nodes }) => nodes),
    capacityKnown: extentOf(({ capacityKnown }) => capacityKnown),
    capacity: each(({ capacity }) => capacity),
    ...(usage && { usage }),
    claims: mergeCounts(
      documents.map(({ claims }) => claims),
      isWhole,
    ),
    volumes: mergeCounts(
      documents.map(({ volumes }) => volumes),
      isWhole,
    ),
    attachments: mergeCounts(
      documents.map(({ attachments }) => attachments),
      isWhole,
    ),
    snapshots: mergeCounts(
      documents.map(({ snapshots }) => snapshots),
      isWhole,
    ),
    isSearched: isWhole && documents.every(({ isSearched }) => isSearched),
    stuck: mergeCauses(read, ({ stuck }) => stuck, kubeconfig),
    waiting: mergeCauses(read, ({ waiting }) => waiting, kubeconfig),
    unread: [...unreadContexts(answers, 'what is stuck in this cluster'), ...each(({ unread }) => unread)],
    summary: sumSummaries(read, ['blocked', 'waiting', 'healthy', 'unknown']),
  };
}

/** Of several clusters all are known only where each was read whole. */
function mergeExtents(extents: readonly Extent[], isWhole: boolean): Extent {
  if (extents.every((extent) => extent === 'none')) return 'none';
  return isWhole && extents.every((extent) => extent === 'all') ? 'all' : 'some';
}

function mergeCounts<State extends string>(all: readonly Counts<State>[], isWhole: boolean): Counts<State> {
  const extent = mergeExtents(
    all.map((counts) => counts.extent),
    isWhole,
  );
  const states = new Map<State, number>();
  for (const counts of all)
    for (const [state, count] of Object.entries(counts.states) as [State, number][])
      states.set(state, (states.get(state) ?? 0) + count);
  const countedOnly = sumOf(all.map((counts) => counts.countedOnly));
  const total = sumOf(all.map((counts) => counts.total));
  return {
    extent,
    ...(total !== undefined && extent !== 'none' && { total }),
    states: Object.fromEntries(states) as Counts<State>['states'],
    ...(countedOnly !== undefined && { countedOnly }),
  };
}

function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
}

function mergeUsage(read: readonly ReadContext<Status>[]): UsageStatus | undefined {
  const own = read.flatMap(({ context, document: { usage } }) => (usage ? [{ context, usage }] : []));
  if (own.length === 0) return undefined;
  return {
    measured: own.reduce((total, { usage }) => total + usage.measured, 0),
    unmeasured: own.reduce((total, { usage }) => total + usage.unmeasured, 0),
    sources: own.flatMap(({ context, usage }) => usage.sources.map((source) => `${context}: ${source}`)),
    fullest: own
      .flatMap(({ context, usage }) => usage.fullest.map(inContext(context)))
      .toSorted((one, other) => fullness(other) - fullness(one)),
  };
}

const fullness = ({ percent = 0, inodesPercent = 0 }: UsageStatus['fullest'][number]): number =>
  Math.max(percent, inodesPercent);

const rank = { blocked: 0, unknown: 1, waiting: 2 } as const;

/** A cause that several clusters share is one, with the objects of all and the command for the first. */
function mergeCauses(
  read: readonly ReadContext<Status>[],
  causesOf: (status: Status) => readonly StuckCause[],
  kubeconfig: string | undefined,
): StuckCause[] {
  const own = read.flatMap(({ context, document }) =>
    causesOf(document).map((entry) => ({ context, entry, sentence: entry.summary })),
  );
  const keyOf = ({ entry: { status, cause = '' }, sentence }: (typeof own)[number]): string =>
    `${status}|${cause}|${sharedSentence(sentence)}`;
  return [...Map.groupBy(own, keyOf).values()]
    .flatMap((same) => mergeCause(same, kubeconfig))
    .toSorted((one, other) => rank[one.status] - rank[other.status] || other.targets.length - one.targets.length);
}

function mergeCause(
  same: readonly { readonly context: string; readonly entry: StuckCause; readonly sentence: string }[],
  kubeconfig: string | undefined,
): StuckCause[] {
  const [first] = same;
  if (first === undefined) return [];
  const times = (field: 'since' | 'oldest'): string[] =>
    same.flatMap(({ entry }) => entry[field] ?? []).toSorted((a, b) => (parseTime(a) ?? 0) - (parseTime(b) ?? 0));
  const since = times('since').at(-1);
  const [oldest] = times('oldest');
  const { context, entry } = first;
  return [
    {
      status: entry.status,
      ...(entry.cause !== undefined && { cause: entry.cause }),
      summary: sentenceOf(same),
      targets: same.flatMap(({ context: home, entry: { targets } }) =>
        targets.map((target) => ({ ...target, context: home })),
      ),
      contexts: [...new Set(same.map((one) => one.context))],
      ...(since !== undefined && { since }),
      ...(oldest !== undefined && { oldest }),
      // A dump is named by --from, which the command carries already.
      command: / --from /.test(entry.command)
        ? entry.command
        : commandInContext(entry.command, { kubeconfig, context, filePrefix: '', files: new Set() }),
    },
  ];
}
