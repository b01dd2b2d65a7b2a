import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import type { ProbeItem, ProbeReport } from '../../core/report/probe-report.ts';

/** Without these it is not known whether all drivers and all their pods were found. */
const neededToFindDrivers: ReadonlySet<string> = new Set(['csidrivers', 'csinodes', 'daemonsets', 'pods']);

/** A driver that is not ready outweighs one that could not be probed, because it is proven. */
export function exitCodeOfProbe({ items, unread = [], summary }: ProbeReport): ExitCode {
  if (summary.unhealthy + summary.unreachable + summary.initialising > 0) return exitCodes.blocked;
  const isBlind = unread.some(({ resource }) => neededToFindDrivers.has(resource));
  return summary.unknown > 0 || items.length === 0 || isBlind ? exitCodes.inconclusive : exitCodes.ok;
}

/** What must change for the report to be printed again; that an answer took a little longer does not count. */
export function essenceOf({ items }: ProbeReport): string {
  return JSON.stringify(
    items.map(({ endpoint, pod, protocol, status, failure, driver, version, capabilities }) => [
      endpoint,
      pod,
      protocol,
      status,
      failure,
      driver,
      version,
      capabilities,
    ]),
  );
}

/** A line for each driver that is not ready yet. */
export function waitingLines({ items }: ProbeReport): string[] {
  return items
    .filter((item) => item.status !== 'ready')
    .map((item) => `waiting for ${placeText(item)}: ${item.summary}`);
}

function placeText({ endpoint, pod, node, driver }: ProbeItem): string {
  if (pod === undefined) return endpoint;
  return `${driver ?? endpoint} in pod ${pod}${node === undefined ? '' : ` on ${node}`}`;
}
