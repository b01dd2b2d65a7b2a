import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import { parseDuration } from '../../cli/duration.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode } from '../../cli/interruption.ts';
import { renderDocument } from '../../cli/render.ts';
import { lookUntil, printOnChange, separator } from '../../cli/watch-loop.ts';
import type { Turn } from '../../cli/watch-loop.ts';
import type { ProbeReport } from '../../core/report/probe-report.ts';
import type { ProbeOptions } from '../../io/csi/probe-endpoint.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { clusterFlagIn, isLocalProbe, refuseContradictions, retriesOf } from './flags.ts';
import type { ProbeFlags } from './flags.ts';
import { isOnNode } from './run/endpoints.ts';
import { clusterRounds, localRounds, tell } from './run/rounds.ts';
import type { Rounds } from './run/rounds.ts';
import { essenceOf, exitCodeOfProbe, waitingLines } from './verdict.ts';
import { splitProbeWords } from './words.ts';
import type { ProbeWords } from './words.ts';

/**
 * Probing costs a driver time (CSI specification, Probe), so the pause between two rounds is never shorter than this.
 */
const leastPauseMs = 1000;

/** `probe` from its words and flags to its exit code. */
export async function runProbe(words: readonly string[], flags: ProbeFlags): Promise<ExitCode> {
  refuseContradictions(words, flags);
  const asked = splitProbeWords(words);
  const options: ProbeOptions = {
    timeoutMs: parseDuration('--timeout', flags.timeout),
    deep: flags.deep,
    ...(flags.driver !== undefined && { expectedName: flags.driver }),
  };
  const patience = patienceOf(flags);
  const rounds = (await isAboutCluster(asked, flags))
    ? await clusterRounds(asked.drivers, flags, options)
    : localRounds(asked.endpoints, flags, options);
  try {
    if (flags.watch) return await watchProbe(rounds, flags, patience.pauseMs);
    const report = await probeUntilReady(rounds, patience);
    // An interrupted round is incomplete, so it is not reported.
    const interrupted = interruptedExitCode();
    if (interrupted !== undefined) return interrupted;
    await print(await renderProbe(report, flags));
    return exitCodeOfProbe(report);
  } finally {
    await rounds.close();
  }
}

interface Patience {
  readonly pauseMs: number;
  readonly retries: number;
  readonly waitMs: number;
}

function patienceOf(flags: ProbeFlags): Patience {
  return {
    pauseMs: parseDuration('--interval', flags.interval ?? (flags.watch ? '5s' : '1s'), leastPauseMs),
    retries: retriesOf(flags.retry),
    waitMs: flags['wait-ready'] === undefined ? 0 : parseDuration('--wait-ready', flags['wait-ready']),
  };
}

/**
 * A driver is in a cluster, an endpoint on this machine; without either a flag decides, and then whether this is a
 * node.
 */
async function isAboutCluster(asked: ProbeWords, flags: ProbeFlags): Promise<boolean> {
  if (isLocalProbe(asked, flags)) return false;
  return clusterFlagIn(flags) !== undefined || asked.drivers.length > 0 || !(await isOnNode());
}

/** For start-up scripts: probes again until all drivers are ready, as often or as long as the flags allow. */
function probeUntilReady(rounds: Rounds, { pauseMs, retries, waitMs }: Patience): Promise<ProbeReport> {
  const begun = performance.now();
  let round = 0;
  let told = '';
  const look = async (): Promise<Turn<ProbeReport>> => {
    const report = await withProgress('probing', rounds.look);
    const isLast =
      rounds.signal?.aborted === true || (round >= retries && performance.now() - begun + pauseMs >= waitMs);
    if (isLast || report.summary.ready === report.items.length) return { result: report };
    round += 1;
    const waiting = waitingLines(report);
    if (waiting.join('\n') !== told) await tell(waiting);
    told = waiting.join('\n');
    return { waitMs: pauseMs };
  };
  return lookUntil(look, { signal: rounds.signal ?? new AbortController().signal });
}

/** Drivers cannot be watched, so they are probed again after each pause. */
function watchProbe(rounds: Rounds, flags: ProbeFlags, pauseMs: number): Promise<ExitCode> {
  return printOnChange(
    async (isFirst) => {
      const report = await rounds.look();
      if (interruptedExitCode() !== undefined) return undefined;
      return {
        essence: essenceOf(report),
        exitCode: exitCodeOfProbe(report),
        render: async () => separator(flags.output, isFirst, report.takenAt) + (await renderProbe(report, flags)),
      };
    },
    { waitMs: pauseMs },
  );
}

async function renderProbe(found: ProbeReport, flags: ProbeFlags): Promise<string> {
  const report = await inChosenCluster(found, flags);
  const { output, deep } = flags;
  if (output === 'junit') return (await import('./junit.ts')).renderProbeJunit(report);
  if (isDocumentFormat(output)) return renderDocument(report, output);
  const { renderProbeText } = await import('./text.ts');
  return renderProbeText(report, {
    ...stdoutScreen(flags.color),
    wide: output === 'wide',
    deep,
    endOf: endOfSource(flags),
  });
}
