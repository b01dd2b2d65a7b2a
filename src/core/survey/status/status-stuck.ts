import type { ObjectRef, Report, ReportItem } from '../../report/report.ts';
import { stuckSince } from '../../report/stuck-since.ts';
import { shortNameOf } from '../../kube/resources.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { StuckCause } from '../../report/status.ts';
import { parseTime } from '../../kube/time.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { ClusterGraph } from '../../graph/cluster-graph.ts';
import { isKnownKind } from '../../kube/kinds.ts';

/** What is stuck and what waits by design: each cause once with all its targets, the latest first. */
export function foldStuck(
  report: Report,
  drivers: readonly ReportItem[],
  graph: ClusterGraph,
  commandEnd: string,
): StuckCause[] {
  const items = new Map(report.items.map((item) => [keyOf(item.target), item]));
  const folds = report.causes.map(({ targets }) => targets.flatMap((target) => items.get(keyOf(target)) ?? []));
  const folded = new Set(folds.flat());
  const rest = report.items.filter((item) => !folded.has(item));
  const groups = new Map<string, Group>();
  const add = (key: string, item: ReportItem): void => {
    const group = groups.get(key);
    groups.set(key, group ? [...group, item] : [item]);
  };
  for (const fold of [...folds, ...rest.map((item) => [item])]) {
    const unhealthy = fold.find(({ status }) => status !== 'healthy');
    if (unhealthy) for (const item of fold) add(groupKey(unhealthy), item);
  }
  for (const driver of drivers) {
    // The summary of what is stuck behind a driver names the driver.
    const known = [...groups].find(
      ([, [first]]) =>
        first.cause === driver.cause && first.status === driver.status && first.summary.includes(driver.target.name),
    );
    add(known?.[0] ?? groupKey(driver), driver);
  }
  return [...groups.values()].map((group) => causeOf(group, graph, commandEnd)).sort(latestFirst);
}

type Group = readonly [ReportItem, ...ReportItem[]];

function groupKey({ status, cause, summary }: ReportItem): string {
  return `${status}|${cause ?? ''}|${summary}`;
}

function causeOf(group: Group, graph: ClusterGraph, commandEnd: string): StuckCause {
  const [first] = group;
  const { kind, namespace, name } = first.target;
  const known = group.map(stageSince).filter((time) => time !== undefined);
  const born = group.map(({ target }) => bornAt(target, graph)).filter((time) => time !== undefined);
  const times = (known.length > 0 ? known : born).sort((a, b) => (parseTime(a) ?? 0) - (parseTime(b) ?? 0));
  const since = times.at(-1);
  // Evidence gives a lower bound of the age, which is better than none.
  const oldest = times[0] ?? group.map(stuckSince).find((time) => time !== undefined);
  return {
    status: first.status === 'healthy' ? 'unknown' : first.status,
    ...(first.cause !== undefined && { cause: first.cause }),
    summary: first.summary,
    targets: group.map(({ target }) => target),
    ...(since !== undefined && { since }),
    ...(oldest !== undefined && { oldest }),
    command: `kubectl csi why ${shellWord(`${shortNameOf(kind)}/${name}`)}${namespace === undefined ? '' : ` -n ${shellWord(namespace)}`}${commandEnd}`,
  };
}

/** The age of an object whose stage has no time of its own. */
function bornAt({ kind, namespace, name }: ObjectRef, graph: ClusterGraph): string | undefined {
  return isKnownKind(kind) ? graph.find(kind, namespace, name)?.metadata.creationTimestamp : undefined;
}

/** When the stage that holds it began. */
function stageSince({ stage, stages }: ReportItem): string | undefined {
  return stages.find((row) => row.stage === stage && row.state !== 'passed' && row.since !== undefined)?.since;
}

/**
 * What is proven before what is unknown, then the cause that began latest, which is most likely to be news; screens
 * show the same time.
 */
function latestFirst(a: StuckCause, b: StuckCause): number {
  const rank = { blocked: 0, unknown: 1, waiting: 2 } as const;
  return (
    rank[a.status] - rank[b.status] ||
    (parseTime(b.oldest) ?? 0) - (parseTime(a.oldest) ?? 0) ||
    b.targets.length - a.targets.length ||
    compareText(a.cause ?? '', b.cause ?? '')
  );
}

function keyOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind}|${namespace ?? ''}|${name}`;
}
