import { UserError } from '../model/errors.ts';
import { probeReportOf } from '../model/probe-report.ts';
import type { ProbeItem, ProbeReport } from '../model/probe-report.ts';
import { probeEndpoints } from '../probe/probe-endpoints.ts';
import type { ProbeOptions } from '../probe/probe-endpoint.ts';
import { parseDuration } from './duration.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { interruptedExitCode, interruption } from './interruption.ts';
import { complain, print, screenOf } from './output.ts';
import type { ColourChoice } from './output.ts';
import { planProbe } from './probe-plan.ts';
import type { ProbePlan } from './probe-plan.ts';
import { withProgress } from './progress.ts';

export interface ProbeFlags {
  readonly timeout: string;
  readonly deep: boolean;
  readonly driver?: string | undefined;
  readonly 'kubelet-root'?: string | undefined;
  readonly watch: boolean;
  readonly interval?: string | undefined;
  readonly retry?: string | undefined;
  readonly 'wait-ready'?: string | undefined;
  readonly output: 'text' | 'wide' | 'json' | 'yaml' | 'junit';
  readonly color: string;
}

/** Probing is not free for a driver (CSI, Probe): never more often than this. */
const leastPauseMs = 1000;

export async function runProbe(words: readonly string[], flags: ProbeFlags): Promise<ExitCode> {
  refuseContradictions(words, flags);
  const options: ProbeOptions = { timeoutMs: parseDuration('--timeout', flags.timeout), deep: flags.deep, ...(flags.driver !== undefined && { expectedName: flags.driver }) };
  const pauseMs = parseDuration('--interval', flags.interval ?? (flags.watch ? '5s' : '1s'), leastPauseMs);
  const plan = planProbe(words, flags['kubelet-root']);
  if (flags.watch) return watchProbe(plan, options, flags, pauseMs);
  const report = await probeUntilReady(plan, options, { pauseMs, retries: retriesOf(flags.retry), waitMs: flags['wait-ready'] === undefined ? 0 : parseDuration('--wait-ready', flags['wait-ready']) });
  await print(await renderProbe(report, flags));
  return exitCodeOfProbe(report);
}

function refuseContradictions(words: readonly string[], flags: ProbeFlags): void {
  if (words.length > 0 && flags['kubelet-root'] !== undefined) throw new UserError('--kubelet-root goes without an endpoint', 'it says where to search when none is named');
  if (flags.watch && (flags.retry !== undefined || flags['wait-ready'] !== undefined)) throw new UserError('--watch goes neither with --retry nor with --wait-ready', 'a watch tries again for ever');
  if (flags.watch && flags.output === 'junit') throw new UserError('-o junit and --watch exclude each other', 'a report of tests is one document');
  if (flags.interval !== undefined && !flags.watch && flags.retry === undefined && flags['wait-ready'] === undefined) throw new UserError('--interval goes with --watch, --retry or --wait-ready');
}

function retriesOf(written: string | undefined): number {
  if (written === undefined) return 0;
  if (!/^\d{1,6}$/.test(written)) throw new UserError(`--retry is a number of times, not "${written}"`);
  return Number(written);
}

/** What is not ready outweighs what could not be looked at: it is proven. */
export function exitCodeOfProbe({ items, summary }: ProbeReport): ExitCode {
  if (summary.unhealthy + summary.unreachable + summary.initialising > 0) return exitCodes.blocked;
  return summary.unknown > 0 || items.length === 0 ? exitCodes.inconclusive : exitCodes.ok;
}

async function probeOnce(plan: ProbePlan, options: ProbeOptions): Promise<ProbeReport> {
  const { endpoints, settled } = await plan();
  const items = await probeEndpoints(endpoints, options);
  return probeReportOf([...items, ...settled], new Date().toISOString());
}

interface Patience {
  readonly pauseMs: number;
  readonly retries: number;
  readonly waitMs: number;
}

/** For start-up scripts: again until all is ready, as often or as long as was asked for. */
async function probeUntilReady(plan: ProbePlan, options: ProbeOptions, { pauseMs, retries, waitMs }: Patience): Promise<ProbeReport> {
  const begun = performance.now();
  let told = '';
  for (let round = 0; ; round += 1) {
    const report = await withProgress('probing', () => probeOnce(plan, options));
    const isLast = round >= retries && performance.now() - begun + pauseMs >= waitMs;
    if (isLast || report.summary.ready === report.items.length) return report;
    const waiting = report.items.filter((item) => item.status !== 'ready').map((item) => `waiting for ${item.endpoint}: ${item.summary}`);
    if (waiting.join('\n') !== told) await tell(waiting);
    told = waiting.join('\n');
    await pause(pauseMs);
  }
}

async function tell(lines: readonly string[]): Promise<void> {
  const { sanitise } = await import('../report/sanitise.ts');
  await complain(lines.map((line) => sanitise(line)).join('\n'));
}

/** Prints whenever a verdict changes; that an answer took a little longer is no change. */
async function watchProbe(plan: ProbePlan, options: ProbeOptions, flags: ProbeFlags, pauseMs: number): Promise<ExitCode> {
  const readerGone = new AbortController();
  process.stdout.on('error', () => readerGone.abort());
  const signal = AbortSignal.any([interruption(), readerGone.signal]);
  let shown: string | undefined;
  let code: ExitCode = exitCodes.ok;
  while (!signal.aborted) {
    const report = await probeOnce(plan, options);
    code = exitCodeOfProbe(report);
    const verdicts = JSON.stringify(report.items.map(lasting));
    if (verdicts !== shown) await print(separator(flags.output, shown === undefined, report.takenAt) + (await renderProbe(report, flags)));
    shown = verdicts;
    await pause(pauseMs, signal);
  }
  return interruptedExitCode() ?? code;
}

const lasting = ({ endpoint, protocol, status, failure, driver, version, capabilities }: ProbeItem): unknown[] => [endpoint, protocol, status, failure, driver, version, capabilities];

function separator(output: ProbeFlags['output'], isFirst: boolean, at: string): string {
  if (output === 'yaml') return '---\n';
  return isFirst || output === 'json' ? '' : `\n${at}\n\n`;
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}

async function renderProbe(report: ProbeReport, flags: ProbeFlags): Promise<string> {
  if (flags.output === 'junit') return (await import('../report/probe-junit.ts')).renderProbeJunit(report);
  if (flags.output === 'text' || flags.output === 'wide') {
    const { renderProbeText } = await import('../report/probe-text.ts');
    return renderProbeText(report, { ...screenOf(flags.color as ColourChoice, process.env, process.stdout), wide: flags.output === 'wide', deep: flags.deep });
  }
  const { renderJson, renderYaml } = await import('../report/structured.ts');
  return flags.output === 'json' ? renderJson(report) : renderYaml(report);
}
