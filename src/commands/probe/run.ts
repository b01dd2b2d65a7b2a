import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import { probeReportOf } from '../../core/report/probe-report.ts';
import type { ProbeItem, ProbeReport } from '../../core/report/probe-report.ts';
import { probeEndpoints } from '../../io/csi/probe-endpoints.ts';
import type { ProbeOptions } from '../../io/csi/probe-endpoint.ts';
import { parseDuration } from '../../cli/duration.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode, interruption } from '../../cli/interruption.ts';
import { complain, print, screenOf } from '../../terminal/output.ts';
import type { ColourChoice } from '../../terminal/output.ts';
import type { ConnectionValues } from '../../cli/open-source.ts';
import { isOnNode, planProbe } from './plan.ts';
import { splitProbeWords } from './words.ts';
import { withProgress } from '../../terminal/progress.ts';

export interface ProbeFlags extends ConnectionValues {
  readonly timeout: string;
  readonly deep: boolean;
  readonly driver?: string | undefined;
  readonly 'kubelet-root'?: string | undefined;
  readonly node?: string[] | undefined;
  readonly 'all-nodes': boolean;
  readonly exec: boolean;
  readonly 'create-pods': boolean;
  readonly 'probe-image'?: string | undefined;
  readonly 'probe-namespace'?: string | undefined;
  readonly 'tunnel-command'?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly watch: boolean;
  readonly interval?: string | undefined;
  readonly retry?: string | undefined;
  readonly 'wait-ready'?: string | undefined;
  readonly output: 'text' | 'wide' | 'json' | 'yaml' | 'junit';
  readonly color: string;
}

/** Probing is not free for a driver (CSI, Probe): never more often than this. */
const leastPauseMs = 1000;

/** That of the hostpath driver, which has socat. */
const usualProbeImage = 'registry.k8s.io/sig-storage/hostpathplugin:v1.15.0';

/** One look at all that was asked for; taken anew on every round, because sockets and pods come and go. */
interface Rounds {
  readonly look: () => Promise<ProbeReport>;
  readonly close: () => Promise<void>;
  /** Absent: a Ctrl-C may end the process at once, since nothing is to be tidied up. */
  readonly signal?: AbortSignal;
}

export async function runProbe(words: readonly string[], flags: ProbeFlags): Promise<ExitCode> {
  refuseContradictions(words, flags);
  const { endpoints, drivers } = splitProbeWords(words);
  const options: ProbeOptions = {
    timeoutMs: parseDuration('--timeout', flags.timeout),
    deep: flags.deep,
    ...(flags.driver !== undefined && { expectedName: flags.driver }),
  };
  const pauseMs = parseDuration('--interval', flags.interval ?? (flags.watch ? '5s' : '1s'), leastPauseMs);
  const patience = {
    pauseMs,
    retries: retriesOf(flags.retry),
    waitMs: flags['wait-ready'] === undefined ? 0 : parseDuration('--wait-ready', flags['wait-ready']),
  };
  const rounds = (await isAboutCluster(endpoints, drivers, flags))
    ? await clusterRounds(drivers, flags, options)
    : localRounds(endpoints, flags, options);
  try {
    if (flags.watch) return await watchProbe(rounds, flags, pauseMs);
    const report = await probeUntilReady(rounds, patience);
    // Half a round is no verdict.
    const interrupted = interruptedExitCode();
    if (interrupted !== undefined) return interrupted;
    await print(await renderProbe(report, flags));
    return exitCodeOfProbe(report);
  } finally {
    await rounds.close();
  }
}

function refuseContradictions(words: readonly string[], flags: ProbeFlags): void {
  if (words.length > 0 && flags['kubelet-root'] !== undefined)
    throw new UserError('--kubelet-root goes without an endpoint', 'it says where to search when none is named');
  if (flags.watch && (flags.retry !== undefined || flags['wait-ready'] !== undefined))
    throw new UserError('--watch goes neither with --retry nor with --wait-ready', 'a watch tries again for ever');
  if (flags.watch && flags.output === 'junit')
    throw new UserError('-o junit and --watch exclude each other', 'a report of tests is one document');
  if (flags.interval !== undefined && !flags.watch && flags.retry === undefined && flags['wait-ready'] === undefined)
    throw new UserError('--interval goes with --watch, --retry or --wait-ready');
  if (flags['create-pods'] && (flags.watch || flags.retry !== undefined || flags['wait-ready'] !== undefined))
    throw new UserError(
      '--create-pods probes once, without --watch, --retry and --wait-ready',
      'each round would create pods anew',
    );
  if (flags['all-nodes'] && flags.node !== undefined) throw new UserError('--node and --all-nodes exclude each other');
  if (flags['tunnel-command'] !== undefined && !flags.exec && !flags['create-pods'])
    throw new UserError('--tunnel-command goes with --exec or --create-pods');
  for (const name of ['probe-namespace', 'probe-image'] as const)
    if (flags[name] !== undefined && !flags['create-pods']) throw new UserError(`--${name} goes with --create-pods`);
  if (flags['probe-image'] !== undefined && !/^[^\s\p{C}]+$/u.test(flags['probe-image']))
    throw new UserError(`--probe-image is the name of an image, not "${flags['probe-image']}"`);
  if (flags['probe-namespace'] !== undefined && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(flags['probe-namespace']))
    throw new UserError(`--probe-namespace is the name of a namespace, not "${flags['probe-namespace']}"`);
}

const connectionNames = [
  'context',
  'kubeconfig',
  'cluster',
  'user',
  'server',
  'token',
  'as',
  'as-group',
  'as-uid',
  'request-timeout',
  'certificate-authority',
  'client-certificate',
  'client-key',
  'tls-server-name',
  'chunk-size',
] as const;
const clusterNames = ['node', 'probe-namespace', 'probe-image', 'tunnel-command', 'concurrency'] as const;
const clusterSwitches = ['all-nodes', 'exec', 'create-pods', 'insecure-skip-tls-verify'] as const;

/** A driver is in a cluster and an endpoint is here; without either, a flag decides, and then whether this is a node. */
async function isAboutCluster(
  endpoints: readonly string[],
  drivers: readonly string[],
  flags: ProbeFlags,
): Promise<boolean> {
  const flag =
    [...connectionNames, ...clusterNames].find((name) => flags[name] !== undefined) ??
    clusterSwitches.find((name) => flags[name] === true);
  const isLocal = endpoints.length > 0 || flags['kubelet-root'] !== undefined;
  if (isLocal && flag !== undefined)
    throw new UserError(
      `--${flag} goes with a driver of a cluster, not with ${endpoints.length > 0 ? 'an endpoint of this machine' : '--kubelet-root'}`,
    );
  if (drivers.length > 0 && flags.driver !== undefined)
    throw new UserError(
      '--driver goes with an endpoint',
      'a driver that is probed by its name must give that name anyway',
    );
  if (isLocal) return false;
  return flag !== undefined || drivers.length > 0 || !(await isOnNode());
}

function localRounds(endpoints: readonly string[], flags: ProbeFlags, options: ProbeOptions): Rounds {
  const plan = planProbe(endpoints, flags['kubelet-root']);
  const look = async (): Promise<ProbeReport> => {
    const { endpoints: found, settled } = await plan();
    const items = await probeEndpoints(found, options);
    return probeReportOf([...items, ...settled], new Date().toISOString());
  };
  return { look, close: () => Promise.resolve() };
}

async function clusterRounds(drivers: readonly string[], flags: ProbeFlags, options: ProbeOptions): Promise<Rounds> {
  const tunnelCommand = flags['tunnel-command'];
  if (tunnelCommand !== undefined) (await import('../../io/csi/tunnel-command.ts')).checkTunnelCommand(tunnelCommand);
  const concurrency = concurrencyOf(flags.concurrency);
  const { openSource } = await import('../../cli/open-source.ts');
  const { probeCluster } = await import('../../cli/probe-cluster/probe-cluster.ts');
  const source = await openSource(flags).catch((error: unknown) => {
    // A dump has no pods to ask; what else it says is of use here too.
    if (!(error instanceof EnvironmentError) || error.next?.includes('--from') !== true) throw error;
    throw new EnvironmentError(
      error.message,
      drivers.length > 0
        ? 'pass --kubeconfig or --context, or name an endpoint of this machine'
        : 'pass --kubeconfig or --context; on a node, run it as root; or name an endpoint such as /csi/csi.sock',
      { cause: error },
    );
  });
  const signal = flags.exec || flags['create-pods'] ? interruption() : undefined;
  let said = '';
  // Said once, however many rounds there are.
  const announce = async (lines: readonly string[]): Promise<void> => {
    if (lines.join('\n') !== said) await tell(lines);
    said = lines.join('\n');
  };
  return {
    look: () =>
      probeCluster(source, {
        ...options,
        question: { drivers, nodes: flags.node ?? [] },
        allNodes: flags['all-nodes'],
        exec: flags.exec,
        createPods: flags['create-pods'],
        ...(tunnelCommand !== undefined && { tunnelCommand }),
        concurrency,
        image: flags['probe-image'] ?? usualProbeImage,
        probeNamespace: flags['probe-namespace'],
        signal: signal ?? new AbortController().signal,
        announce,
      }),
    close: () => source.close(),
    ...(signal !== undefined && { signal }),
  };
}

function concurrencyOf(written = '10'): number {
  const number = Number(written);
  if (!/^\d{1,4}$/.test(written) || number < 1 || number > 1000)
    throw new UserError(`--concurrency is a number from 1 to 1000, not "${written}"`);
  return number;
}

function retriesOf(written: string | undefined): number {
  if (written === undefined) return 0;
  if (!/^\d{1,6}$/.test(written)) throw new UserError(`--retry is a number of times, not "${written}"`);
  return Number(written);
}

/** What is not ready outweighs what could not be looked at: it is proven. */
export function exitCodeOfProbe({ items, unread = [], summary }: ProbeReport): ExitCode {
  if (summary.unhealthy + summary.unreachable + summary.initialising > 0) return exitCodes.blocked;
  // Without these nobody knows whether all drivers and all their pods were found.
  const isBlind = unread.some(({ resource }) => /^(csidrivers|csinodes|daemonsets|pods)$/.test(resource));
  return summary.unknown > 0 || items.length === 0 || isBlind ? exitCodes.inconclusive : exitCodes.ok;
}

interface Patience {
  readonly pauseMs: number;
  readonly retries: number;
  readonly waitMs: number;
}

/** For start-up scripts: again until all is ready, as often or as long as was asked for. */
async function probeUntilReady(rounds: Rounds, { pauseMs, retries, waitMs }: Patience): Promise<ProbeReport> {
  const begun = performance.now();
  let told = '';
  for (let round = 0; ; round += 1) {
    const report = await withProgress('probing', rounds.look);
    const isLast =
      rounds.signal?.aborted === true || (round >= retries && performance.now() - begun + pauseMs >= waitMs);
    if (isLast || report.summary.ready === report.items.length) return report;
    const waiting = report.items
      .filter((item) => item.status !== 'ready')
      .map((item) => `waiting for ${placeText(item)}: ${item.summary}`);
    if (waiting.join('\n') !== told) await tell(waiting);
    told = waiting.join('\n');
    await pause(pauseMs, rounds.signal);
  }
}

const placeText = ({ endpoint, pod, node, driver }: ProbeItem): string =>
  pod === undefined ? endpoint : `${driver ?? endpoint} in pod ${pod}${node === undefined ? '' : ` on ${node}`}`;

async function tell(lines: readonly string[]): Promise<void> {
  const { sanitise } = await import('../../terminal/sanitise.ts');
  await complain(lines.map((line) => (/^ */.exec(line)?.[0] ?? '') + sanitise(line)).join('\n'));
}

/** Prints whenever a verdict changes; that an answer took a little longer is no change. */
async function watchProbe(rounds: Rounds, flags: ProbeFlags, pauseMs: number): Promise<ExitCode> {
  const readerGone = new AbortController();
  process.stdout.on('error', () => readerGone.abort());
  const signal = AbortSignal.any([interruption(), readerGone.signal]);
  let shown: string | undefined;
  let code: ExitCode = exitCodes.ok;
  while (!signal.aborted) {
    const report = await rounds.look();
    if (signal.aborted) break;
    code = exitCodeOfProbe(report);
    const verdicts = JSON.stringify(report.items.map(lasting));
    if (verdicts !== shown)
      await print(separator(flags.output, shown === undefined, report.takenAt) + (await renderProbe(report, flags)));
    shown = verdicts;
    await pause(pauseMs, signal);
  }
  return interruptedExitCode() ?? code;
}

const lasting = ({ endpoint, pod, protocol, status, failure, driver, version, capabilities }: ProbeItem): unknown[] => [
  endpoint,
  pod,
  protocol,
  status,
  failure,
  driver,
  version,
  capabilities,
];

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
  if (flags.output === 'junit') return (await import('./junit.ts')).renderProbeJunit(report);
  if (flags.output === 'text' || flags.output === 'wide') {
    const { renderProbeText } = await import('./text.ts');
    return renderProbeText(report, {
      ...screenOf(flags.color as ColourChoice, process.env, process.stdout),
      wide: flags.output === 'wide',
      deep: flags.deep,
    });
  }
  const { renderJson, renderYaml } = await import('../../terminal/structured.ts');
  return flags.output === 'json' ? renderJson(report) : renderYaml(report);
}
