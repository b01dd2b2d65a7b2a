import { readFileSync } from 'node:fs';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import { interruptedExitCode, interruption, untilInterrupted } from '../../cli/interruption.ts';
import { manifest } from '../../cli/manifest.ts';
import { refuseSourceContradictions } from '../../cli/source-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { Metric } from '../../terminal/metrics/exposition.ts';
import { unreadMetrics } from '../../terminal/metrics/check-metrics.ts';
import { complain, print } from '../../terminal/output.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { isLoopback } from './addresses.ts';
import { ageMetric } from './metrics.ts';
import { readOptions, streamsOf } from './options.ts';
import type { ServeFlags, ServeOptions } from './options.ts';
import { ownMetrics } from './own-metrics.ts';
import type { OwnCounts } from './own-metrics.ts';
import type { Picture } from './picture.ts';
import { startFeed } from './run/feed.ts';
import type { Feed } from './run/feed.ts';
import { startHelpers } from './run/helpers.ts';
import type { Helpers } from './run/helpers.ts';
import { startWebServer } from './run/server.ts';
import type { WebServer } from './run/server.ts';
import { answerer } from './run/site.ts';
import { Streams } from './run/streams.ts';

export interface AllServeFlags extends ServeFlags, SourceValues, ConnectionValues {
  readonly from?: string[] | undefined;
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly 'object-labels': boolean;
  readonly 'max-pages': string;
}

const bufferBytes = 65_536;
const beatMs = 10_000;

/** `serve` from its flags to its exit code. */
export async function runServe(flags: AllServeFlags): Promise<ExitCode> {
  refuseSourceContradictions(flags);
  const options = readOptions(flags);
  const tls = tlsOf(flags);
  const streams = new Streams({ most: streamsOf(flags['max-pages']), bufferBytes, beatMs });
  const signal = interruption();
  const helpers = await startHelpers(flags, options);
  const feed = startFeed(readingFlags(flags));
  try {
    const web = await openDoors(flags, options, { feed, streams, helpers }, tls);
    feed.subscribe((picture) => streams.publish(picture));
    feed.subscribe((picture) => helpers.take(picture));
    const log = reporter();
    feed.subscribe((picture) => log(picture));
    await announce(web, options, tls !== undefined);
    await Promise.race([untilInterrupted(signal), feed.ended]);
    streams.close();
    await Promise.all([web.close(), helpers.close()]);
    return interruptedExitCode() ?? exitCodes.ok;
  } finally {
    streams.close();
    await feed.close();
  }
}

interface Parts {
  readonly feed: Feed;
  readonly streams: Streams;
  readonly helpers: Helpers;
}

async function openDoors(
  flags: AllServeFlags,
  { addresses, port, basePath, hosts }: ServeOptions,
  { feed, streams, helpers }: Parts,
  tls: ReturnType<typeof tlsOf>,
): Promise<WebServer> {
  const requests = new Map<string, number>();
  const startedAt = Date.now() - process.uptime() * 1000;
  const metricsOf = (picture: Picture | undefined): Metric[] =>
    allMetrics(picture, {
      version: manifest.version,
      startedAt,
      memoryBytes: process.memoryUsage.rss(),
      requests,
      streams: streams.size,
      droppedStreams: streams.dropped,
      ...helpers.counts(),
    });
  return startWebServer({
    addresses,
    port,
    basePath,
    hosts,
    ...(tls && { tls }),
    ...(flags.auth === 'kubernetes' && { admit: helpers.admit }),
    answer: answerer({ feed, streams, metricsOf }),
    onAnswer: (route, status) => {
      const key = `${route} ${status}`;
      requests.set(key, (requests.get(key) ?? 0) + 1);
    },
  });
}

/** What is known of the cluster, and of the server itself. Before the first judgement only that nothing is known. */
function allMetrics(picture: Picture | undefined, counts: OwnCounts): Metric[] {
  const isJudged = picture !== undefined && picture.revision !== '';
  // The last figures stay while the cluster cannot be read, so that an alert stays too; only `up` says that they are old.
  const known = isJudged
    ? picture.metrics.map((metric) => (metric.name === 'kubectl_csi_up' ? upNow(metric, picture) : metric))
    : unreadMetrics();
  const ages = isJudged ? [ageMetric(picture.stuck, nowOf(picture))] : [];
  return [...known, ...ages, ...ownMetrics(counts, picture)];
}

function upNow(metric: Metric, { isUp }: Picture): Metric {
  return { ...metric, samples: [{ value: isUp ? 1 : 0 }] };
}

/** A dump has a time of its own. */
function nowOf({ freshness, takenAt = '' }: Picture): number {
  return freshness.state === 'dump' ? Date.parse(takenAt) : Date.now();
}

async function announce(
  { addresses }: WebServer,
  { auth, basePath, addresses: asked }: ServeOptions,
  isSecure: boolean,
): Promise<void> {
  const scheme = isSecure ? 'https' : 'http';
  for (const address of addresses) await print(`Serving at ${scheme}://${address}${basePath}/\n`);
  const open = asked.filter((address) => !isLoopback(address)).join(', ');
  if (open === '') return;
  if (auth === 'none')
    await complain(`Everybody who can reach ${open} can read this: --auth none asks for no permission.`);
  if (auth === 'kubernetes' && !isSecure)
    await complain(
      `Callers send their tokens to ${open} without encryption. Add --tls-cert and --tls-key unless a proxy in front encrypts.`,
    );
}

/** Says on standard error when the cluster cannot be read, and when it can be again. */
function reporter(): (picture: Picture) => void {
  let said = 'connecting';
  return ({ freshness, sourceName }) => {
    const { state, reason = '' } = freshness;
    const word = state === 'stale' ? 'stale' : 'fine';
    if (state === 'connecting' || word === said) return;
    const isFirst = said === 'connecting';
    said = word;
    if (state === 'stale') void complain(sanitise(`${sourceName} cannot be read: ${reason}. It is tried again.`));
    else if (!isFirst) void complain(sanitise(`${sourceName} can be read again.`));
  };
}

/** Only what the other thread needs to read. */
function readingFlags(flags: AllServeFlags): Parameters<typeof startFeed>[0] {
  const {
    'all-namespaces': everywhere,
    namespace,
    address: _a,
    port: _p,
    host: _h,
    auth: _auth,
    notify: _n,
    ...rest
  } = flags;
  return { ...rest, ...(!everywhere && namespace && { namespace }) };
}

function tlsOf({
  'tls-cert': cert,
  'tls-key': key,
}: ServeFlags): { readonly cert: Buffer; readonly key: Buffer } | undefined {
  if (cert === undefined || key === undefined) return undefined;
  const read = (flag: string, path: string): Buffer => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw new UserError(`--${flag} ${path} cannot be read: ${(error as Error).message}`);
    }
  };
  return { cert: read('tls-cert', cert), key: read('tls-key', key) };
}
