import type { ObjectRef, Report, ReportItem } from '../../report/report.ts';
import { shortNameOf } from '../../kube/resources.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { StuckCause } from '../../report/status.ts';
import { parseTime } from '../../kube/time.ts';
import { compareText } from '../../graph/cluster-graph.ts';

/** What is stuck and what waits by design, each cause once with all its subjects, the newest first. */
export function foldStuck(
  report: Report,
  drivers: readonly ReportItem[],
  bornAt: (target: ObjectRef) => string | undefined,
  commandEnd: string,
): StuckCause[] {
  const items = new Map(report.items.map((item) => [keyOf(item.target), item]));
  const folds = report.causes.map(({ targets }) => targets.flatMap((target) => items.get(keyOf(target)) ?? []));
  const folded = new Set(folds.flat());
  const rest = report.items.filter((item) => !folded.has(item));
  const groups = new Map<string, ReportItem[]>();
  for (const fold of [...folds, ...rest.map((item) => [item])]) {
    const [first] = fold.filter(({ status }) => status !== 'healthy');
    if (!first) continue;
    const key = `${first.status}|${first.cause ?? ''}|${first.summary}`;
    groups.set(key, [...(groups.get(key) ?? []), ...fold]);
  }
  for (const driver of drivers) {
    // What is stuck behind a driver says so with its name.
    const known = [...groups].find(
      ([, [first]]) =>
        first?.cause === driver.cause && first?.status === driver.status && first.summary.includes(driver.target.name),
    );
    groups.set(known?.[0] ?? `${driver.status}|${driver.cause ?? ''}|${driver.summary}`, [
      ...(known?.[1] ?? []),
      driver,
    ]);
  }
  return [...groups.values()].map((group) => causeOf(group, bornAt, commandEnd)).sort(newestFirst);
}

function causeOf(
  group: readonly ReportItem[],
  bornAt: (target: ObjectRef) => string | undefined,
  commandEnd: string,
): StuckCause {
  const first = group[0] as ReportItem;
  const known = group.map(sinceOf).filter((time) => time !== undefined);
  const born = group.map(({ target }) => bornAt(target)).filter((time) => time !== undefined);
  const since = (known.length > 0 ? known : born).sort((a, b) => (parseTime(b) ?? 0) - (parseTime(a) ?? 0))[0];
  return {
    status: first.status === 'healthy' ? 'unknown' : first.status,
    ...(first.cause !== undefined && { cause: first.cause }),
    summary: first.summary,
    targets: group.map(({ target }) => target),
    ...(since !== undefined && { since }),
    command: `kubectl csi why ${shellWord(`${shortNameOf(first.target.kind)}/${first.target.name}`)}${first.target.namespace === undefined ? '' : ` -n ${shellWord(first.target.namespace)}`}${commandEnd}`,
  };
}

/** When the stage began that holds it. */
function sinceOf(item: ReportItem): string | undefined {
  return item.stages.find(
    ({ stage, state, since }) => stage === item.stage && state !== 'passed' && since !== undefined,
  )?.since;
}

/** What is proven comes before what is not known; among these what began last, since it is likeliest to be news. */
function newestFirst(a: StuckCause, b: StuckCause): number {
  const rank = { blocked: 0, unknown: 1, waiting: 2 } as const;
  return (
    rank[a.status] - rank[b.status] ||
    (parseTime(b.since) ?? 0) - (parseTime(a.since) ?? 0) ||
    b.targets.length - a.targets.length ||
    compareText(a.cause ?? '', b.cause ?? '')
  );
}

function keyOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind}|${namespace ?? ''}|${name}`;
}
