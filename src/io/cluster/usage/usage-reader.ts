import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../../../core/kube/errors.ts';
import type { RawObject, Snapshot } from '../../../core/kube/snapshot.ts';
import type { UsageAttempt, UsageSurvey, VolumeUsage } from '../../../core/kube/volume-usage.ts';
import { withoutLogin } from '../address.ts';
import type { ApiClient } from '../api-client.ts';
import { findPrometheus } from './find-prometheus.ts';
import { getText } from './get-text.ts';
import { usageOfSummary } from './kubelet-summary.ts';
import { ambiguityOf, isRecord, queryPath, samplesOf, trendQuery, usageOfSamples, usageQuery } from './prometheus.ts';
import type { Sample } from './prometheus.ts';
import { usagePatience } from './usage-request.ts';
import type { TextAnswer, UsageOptions } from './usage-request.ts';

type Get = (path: string) => Promise<TextAnswer>;

/** What one source has answered. */
interface Reading {
  readonly attempt: UsageAttempt;
  readonly volumes: readonly VolumeUsage[];
}

/** Where a node does not name the port of its kubelet (v1.NodeDaemonEndpoints). */
const usualKubeletPort = 10_250;
/** How many kubelets are asked at the same time. */
const atOnce = 8;

/** Measures how full volumes are, from the cheapest source to the one with the strongest right; each is asked once. */
export class UsageReader {
  readonly #client: ApiClient;
  readonly #options: UsageOptions;
  #prometheus: Promise<readonly Reading[]> | undefined;
  readonly #nodes = new Map<string, Promise<readonly Reading[]>>();

  constructor(client: ApiClient, options: UsageOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** The snapshot with the usage of the volumes that its pods mount. */
  async addTo(snapshot: Snapshot): Promise<Snapshot> {
    const readings = [...(await (this.#prometheus ??= this.#askPrometheus()))];
    if (this.#options.kubelet === true || this.#options.nodeProxy === true) {
      const measured = new Set(readings.flatMap(({ volumes }) => volumes.map(keyOf)));
      const nodes = nodesToAsk(snapshot, measured);
      for (let at = 0; at < nodes.length; at += atOnce)
        readings.push(
          ...(await Promise.all(nodes.slice(at, at + atOnce).map((node) => this.#askNodeOnce(node, snapshot)))).flat(),
        );
    }
    return { ...snapshot, usage: mergeReadings(readings) };
  }

  async #askPrometheus(): Promise<readonly Reading[]> {
    const { prometheus } = this.#options;
    if (prometheus !== undefined) {
      const address = new URL(prometheus);
      const name = `Prometheus at ${withoutLogin(prometheus)}`;
      return [await askOnePrometheus(name, (path) => getText(joinPath(address, path)))];
    }
    const found = await findPrometheus(this.#client);
    if (found.type !== 'found')
      return [refused('a Prometheus in the cluster', found.type, `Services could not be listed: ${found.message}`)];
    if (found.services.length === 0)
      return [refused('a Prometheus in the cluster', 'failed', 'no Service looks like one; name it with --prometheus')];
    const readings: Reading[] = [];
    for (const { name, path } of found.services) {
      const reading = await askOnePrometheus(`Prometheus ${name}`, (query) => this.#ask(`${path}${query}`));
      readings.push(reading);
      if (reading.volumes.length > 0) break;
    }
    return readings;
  }

  #askNodeOnce(node: string, snapshot: Snapshot): Promise<readonly Reading[]> {
    let asked = this.#nodes.get(node);
    if (!asked) this.#nodes.set(node, (asked = this.#askNode(node, snapshot)));
    return asked;
  }

  /** At its own port first: that right only reads. */
  async #askNode(node: string, snapshot: Snapshot): Promise<readonly Reading[]> {
    const readings: Reading[] = [];
    if (this.#options.kubelet === true) readings.push(await this.#askKubelet(node, snapshot));
    if (this.#options.nodeProxy === true && readings.every(({ attempt }) => attempt.state !== 'answered'))
      readings.push(
        readingOf(
          `the kubelet of ${node} (through the API server)`,
          await this.#ask(`/api/v1/nodes/${encodeURIComponent(node)}/proxy/stats/summary`),
        ),
      );
    return readings;
  }

  async #askKubelet(node: string, snapshot: Snapshot): Promise<Reading> {
    const source = `the kubelet of ${node}`;
    const known = kubeletOf(snapshot.objects.find(({ kind, metadata }) => kind === 'Node' && metadata.name === node));
    const kubelet = known ?? (await this.#kubeletOfNode(node));
    if (kubelet === undefined) return refused(source, 'failed', `the addresses of ${node} could not be read`);
    const { kubeletAuthority } = this.#options;
    const authority = kubeletAuthority === undefined ? undefined : readAuthority(kubeletAuthority);
    const url = new URL(`https://${kubelet}/stats/summary`);
    return readingOf(source, await this.#client.askOther(url, authority));
  }

  async #kubeletOfNode(node: string): Promise<string | undefined> {
    const answer = await this.#ask(`/api/v1/nodes/${encodeURIComponent(node)}`);
    if (answer.type !== 'answer' || answer.status !== 200) return undefined;
    const object: unknown = JSON.parse(answer.body);
    return isRecord(object) ? kubeletOf(object as unknown as RawObject) : undefined;
  }

  async #ask(path: string): Promise<TextAnswer> {
    try {
      const { status, body } = await this.#client.ask(path, usagePatience);
      return { type: 'answer', status, body: body.toString('utf8') };
    } catch (error) {
      return { type: 'failed', message: error instanceof Error ? error.message : String(error) };
    }
  }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new EnvironmentError(
      `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
      'Check --kubelet-ca',
    );
  }
}

/** The query is appended to the path of the address, which may be that of a route prefix. */
function joinPath(address: URL, path: string): URL {
  const joined = new URL(address);
  const [route = '', query = ''] = path.split('?');
  joined.pathname = `${joined.pathname.replace(/\/+$/, '')}${route}`;
  joined.search = query;
  return joined;
}

async function askOnePrometheus(source: string, get: Get): Promise<Reading> {
  const answer = await get(queryPath(usageQuery));
  const samples = vectorOf(answer);
  if (typeof samples === 'string') return refused(source, isDenied(answer) ? 'denied' : 'failed', samples);
  const ambiguity = ambiguityOf(samples);
  if (ambiguity !== undefined) return refused(source, 'failed', ambiguity);
  if (samples.length === 0)
    return refused(source, 'failed', 'it has no kubelet_volume_stats metrics: it does not scrape the kubelets');
  // Without the trend the usage is still known.
  const trend = vectorOf(await get(queryPath(trendQuery)));
  return {
    attempt: { source, state: 'answered' },
    volumes: usageOfSamples(samples, typeof trend === 'string' ? [] : trend, source),
  };
}

/** The samples, or why there are none. */
function vectorOf(answer: TextAnswer): readonly Sample[] | string {
  if (answer.type === 'failed') return answer.message;
  const samples = answer.status === 200 ? samplesOf(answer.body) : undefined;
  return samples ?? `it answered with status ${answer.status}, and not with the result of a query`;
}

function readingOf(source: string, answer: TextAnswer): Reading {
  if (answer.type === 'failed') return refused(source, 'failed', answer.message);
  if (answer.status !== 200)
    return refused(
      source,
      isDenied(answer) ? 'denied' : 'failed',
      `it answered with status ${answer.status}${messageIn(answer.body)}`,
    );
  const volumes = usageOfSummary(answer.body, source);
  if (volumes === undefined) return refused(source, 'failed', 'it did not answer with a summary');
  return { attempt: { source, state: 'answered' }, volumes };
}

function isDenied(answer: TextAnswer): boolean {
  return answer.type === 'answer' && (answer.status === 401 || answer.status === 403);
}

/** The message of a Status, or the text of a kubelet. */
function messageIn(body: string): string {
  const message = /"message":"([^"]{1,300})/.exec(body)?.[1] ?? body.slice(0, 200).replaceAll(/\s+/g, ' ').trim();
  return message === '' ? '' : `: ${message}`;
}

function refused(source: string, state: 'denied' | 'failed', message: string): Reading {
  return { attempt: { source, state, message }, volumes: [] };
}

/** Of several sources the first that has measured a volume counts. */
function mergeReadings(readings: readonly Reading[]): UsageSurvey {
  const volumes = new Map<string, VolumeUsage>();
  for (const { volumes: found } of readings)
    for (const usage of found) if (!volumes.has(keyOf(usage))) volumes.set(keyOf(usage), usage);
  return { volumes: [...volumes.values()], attempts: readings.map(({ attempt }) => attempt) };
}

function keyOf({ namespace, claim }: VolumeUsage): string {
  return `${namespace}/${claim}`;
}

/** The nodes of pods that run with claims which nothing has measured yet. */
function nodesToAsk({ objects }: Snapshot, measured: ReadonlySet<string>): string[] {
  const nodes = objects.flatMap((object) => {
    if (object.kind !== 'Pod' || !isRecord(object['spec']) || !isRecord(object['status'])) return [];
    const { nodeName, volumes } = object['spec'];
    const { phase } = object['status'];
    if (typeof nodeName !== 'string' || phase === 'Succeeded' || phase === 'Failed') return [];
    const names = (Array.isArray(volumes) ? (volumes as unknown[]) : []).flatMap((volume) => claimIn(volume, object));
    return names.some((name) => !measured.has(`${object.metadata.namespace ?? ''}/${name}`)) ? [nodeName] : [];
  });
  return [...new Set(nodes)].sort();
}

function claimIn(volume: unknown, pod: RawObject): string[] {
  if (!isRecord(volume)) return [];
  const claim = volume['persistentVolumeClaim'];
  if (isRecord(claim) && typeof claim['claimName'] === 'string') return [claim['claimName']];
  return isRecord(volume['ephemeral']) ? [`${pod.metadata.name}-${String(volume['name'])}`] : [];
}

/** The address and the port of a kubelet, as a URL has them. */
function kubeletOf(node: RawObject | undefined): string | undefined {
  const address = addressOf(node);
  if (address === undefined) return undefined;
  return `${address.includes(':') ? `[${address}]` : address}:${kubeletPortOf(node)}`;
}

function kubeletPortOf(node: RawObject | undefined): number {
  const status = node?.['status'];
  const endpoints = isRecord(status) ? status['daemonEndpoints'] : undefined;
  const endpoint = isRecord(endpoints) ? endpoints['kubeletEndpoint'] : undefined;
  const port = isRecord(endpoint) ? endpoint['Port'] : undefined;
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : usualKubeletPort;
}

function addressOf(node: RawObject | undefined): string | undefined {
  const status = node?.['status'];
  const addresses = isRecord(status) && Array.isArray(status['addresses']) ? (status['addresses'] as unknown[]) : [];
  const of = (type: string): string | undefined => {
    const found = addresses.find((address) => isRecord(address) && address['type'] === type);
    return isRecord(found) && typeof found['address'] === 'string' ? found['address'] : undefined;
  };
  return of('InternalIP') ?? of('Hostname');
}
