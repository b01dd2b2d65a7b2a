import { diagnoseAfter } from '../../core/engine/diagnose.ts';
import type { Diagnosis } from '../../core/engine/diagnose.ts';
import { KeptVerdicts } from '../../core/engine/kept-verdicts.ts';
import { logConsultant } from '../../core/engine/logs/consult-logs.ts';
import type { LogUse } from '../../core/engine/logs/wants-logs.ts';
import { logKey } from '../../core/kube/container-log.ts';
import type { ContainerLog, LogNeed } from '../../core/kube/container-log.ts';
import type { Selection } from '../../core/kube/selection.ts';
import type { Answer, Snapshot } from '../../core/kube/snapshot.ts';
import { scrubLog } from '../../io/capture/scrub-log.ts';

/** Where objects and logs come from: a cluster or a dump. */
export interface LogPort {
  /** Asks, reads what the answer needs, and asks again. */
  readonly read: <Result extends Answer>(known: Snapshot, ask: (snapshot: Snapshot) => Result) => Promise<Result>;
  readonly log: (need: LogNeed) => Promise<ContainerLog>;
}

/** One driver has few logs; many drivers are stuck only in a search, where the table comes first. */
const mostLogs = 10;
/** The first round reads where components run and their logs, the second what the logs raise as questions. */
const mostRounds = 3;

/** The same diagnosis with what the components logged that own the open stages. */
export async function withLogs(
  known: Snapshot,
  selection: Selection,
  use: LogUse,
  port: LogPort,
  kept = new KeptVerdicts(),
): Promise<Diagnosis> {
  const logs = new Map((known.logs ?? []).map((log) => [logKey(log), log]));
  const consult = logConsultant(use);
  let latest: Diagnosis | undefined;
  let earlier = known;
  for (let round = 0; round < mostRounds; round += 1) {
    latest = await port.read(latest?.snapshot ?? known, (snapshot) => {
      const judged = { ...snapshot, logs: [...logs.values()] };
      const diagnosis = diagnoseAfter(earlier, judged, selection, { consult, kept });
      earlier = judged;
      return diagnosis;
    });
    const open = latest.logNeeds.filter((need) => !logs.has(logKey(need))).slice(0, Math.max(0, mostLogs - logs.size));
    if (open.length === 0) break;
    for (const log of await readAll(open, port)) logs.set(logKey(log), scrubLog(log));
  }
  return latest as Diagnosis;
}

/** All at once; where one pod's log is forbidden, those of its namespace are. */
async function readAll(needs: readonly LogNeed[], port: LogPort): Promise<ContainerLog[]> {
  const byNamespace = [...Map.groupBy(needs, ({ namespace }) => namespace).values()];
  const read = byNamespace.map(async ([first, ...others]): Promise<ContainerLog[]> => {
    if (!first) return [];
    const log = await port.log(first);
    if (log.state !== 'denied') return [log, ...(await Promise.all(others.map((need) => port.log(need))))];
    return [log, ...others.map((need) => refused(need, log.message))];
  });
  return (await Promise.all(read)).flat();
}

function refused({ namespace, pod, container, previous }: LogNeed, message: string | undefined): ContainerLog {
  const name = { namespace, pod, container, ...(previous === true && { previous }) };
  return { ...name, state: 'denied', ...(message !== undefined && { message }), lines: [] };
}
