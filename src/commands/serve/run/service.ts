import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { connectCluster } from '../../../cli/cluster-source.ts';
import type { ConnectionValues } from '../../../cli/connection-flags.ts';
import { manifest } from '../../../cli/manifest.ts';
import { readsDump, refuseSourceContradictions } from '../../../cli/source-flags.ts';
import type { SourceValues } from '../../../cli/source-flags.ts';
import { UserError } from '../../../core/kube/errors.ts';
import { unreadMetrics } from '../../../terminal/metrics/check-metrics.ts';
import type { Metric } from '../../../terminal/metrics/exposition.ts';
import { ageMetric } from '../metrics.ts';
import { readOptions, streamsOf } from '../options.ts';
import type { ServeFlags, ServeOptions } from '../options.ts';
import { ownMetrics } from '../own-metrics.ts';
import type { OwnCounts } from '../own-metrics.ts';
import { usualPace } from '../pace.ts';
import type { Pace } from '../pace.ts';
import type { Picture } from '../picture.ts';
import { startFeed } from './feed.ts';
import type { Feed } from './feed.ts';
import { startHelpers } from './helpers.ts';
import type { Helpers } from './helpers.ts';
import type { ReadingFlags } from './reading.ts';
import { startWebServer } from './server.ts';
import type { WebServer } from './server.ts';
import { answerer } from './site.ts';
import { Streams } from './streams.ts';

export interface ServiceFlags extends ServeFlags, SourceValues, ConnectionValues {
  readonly from?: string[] | undefined;
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly 'object-labels': boolean;
  readonly 'max-pages': string;
}

/** All that `serve` runs. */
export interface Service {
  /** Where it listens. */
  readonly addresses: readonly string[];
  readonly basePath: string;
  subscribe(listener: (picture: Picture) => void): void;
  /** Rejects when nothing can be served any more. */
  readonly ended: Promise<never>;
  /** Ends streams and connections, gives up the lease, and stops reading. */
  close(): Promise<void>;
}

const bufferBytes = 65_536;
const beatMs = 10_000;

/** Checks the flags, then listens. The cluster is read in the meantime. */
export async function startService(flags: ServiceFlags, pace: Pace = usualPace): Promise<Service> {
  refuseSourceContradictions(flags);
  const options = readOptions(flags);
  const tls = tlsOf(flags);
  const most = streamsOf(flags['max-pages']);
  // Nothing is sent yet: a kubeconfig or a context that does not exist is said before it listens.
  if (!readsDump(flags)) (await connectCluster(readingFlags(flags))).client.close();
  const helpers = await startHelpers(flags, options, pace);
  const streams = new Streams({ most, bufferBytes, beatMs });
  const feed = startFeed({ ...readingFlags(flags), pauseMs: pace.pauseMs }, pace);
  const close = async (web?: WebServer): Promise<void> => {
    streams.close();
    await Promise.all([web?.close(), helpers.close(), feed.close()]);
  };
  try {
    const web = await openDoors(flags, options, { feed, streams, helpers }, tls);
    feed.subscribe((picture) => {
      streams.publish(picture);
      helpers.take(picture);
    });
    return {
      addresses: web.addresses,
      basePath: options.basePath,
      subscribe: (listener) => void feed.subscribe(listener),
      ended: feed.ended,
      close: () => close(web),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  readonly feed: Feed;
  readonly streams: Streams;
  readonly helpers: Helpers;
}

async function openDoors(
  flags: ServiceFlags,
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
  // The last figures stay while the cluster cannot be read, so that an alert stays too; only `up` says that they are
  // old.
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

/** Only what the other thread needs to read. */
function readingFlags(flags: ServiceFlags): Omit<ReadingFlags, 'pauseMs'> {
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
  const tls = { cert: read('tls-cert', cert), key: read('tls-key', key) };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new UserError(
      `--tls-cert ${cert} and --tls-key ${key} cannot be used: ${(error as Error).message}`,
      'Pass a certificate and its own key, unencrypted, in PEM form',
    );
  }
  return tls;
}
