import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Api } from '../cluster/api.ts';

type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly labels: Labels;
  /** Time in seconds and value, oldest first. */
  readonly points: [number, number][];
}

/**
 * In place of a Prometheus, whose build takes longer than all of the suite: it really scrapes the kubelet, and answers instant queries for a
 * name, for names that match, and for the rate of one, in the form of its HTTP API.
 */
export class Prometheus {
  readonly port: number;
  readonly #server: Server;
  readonly #timer: NodeJS.Timeout;
  readonly #series = new Map<string, Series>();
  readonly #api: Api;
  readonly #node: string;

  private constructor(api: Api, node: string, server: Server) {
    this.#api = api;
    this.#node = node;
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', 'http://prometheus');
      const result = url.pathname === '/api/v1/query' ? this.#query(url.searchParams.get('query') ?? '') : undefined;
      const body =
        result === undefined
          ? { status: 'error', errorType: 'bad_data', error: 'this query is not understood' }
          : { status: 'success', data: { resultType: 'vector', result } };
      response
        .writeHead(result === undefined ? 400 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    });
    this.#timer = setInterval(() => void this.scrape().catch(() => {}), 5000);
  }

  static async start(api: Api, node: string, address: string): Promise<Prometheus> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject);
      server.listen(0, address, resolve);
    });
    const prometheus = new Prometheus(api, node, server);
    await prometheus.scrape();
    return prometheus;
  }

  async scrape(): Promise<void> {
    const text = String(await this.#api.call('GET', `/api/v1/nodes/${this.#node}/proxy/metrics`));
    const now = Date.now() / 1000;
    for (const [, name = '', written = '', value = ''] of text.matchAll(
      /^(kubelet_volume_stats_\w+)\{(.*)\} (\S+)$/gm,
    )) {
      const own = [...written.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', word = '']) => [key, word]);
      const labels = { __name__: name, job: 'kubelet', node: this.#node, ...Object.fromEntries(own) } as Labels;
      const key = JSON.stringify(labels);
      const series = this.#series.get(key) ?? { labels, points: [] };
      series.points.push([now, Number(value)]);
      this.#series.set(key, series);
    }
  }

  #query(query: string): object[] | undefined {
    const matched = /^\{__name__=~"(.+)"\}$/.exec(query)?.[1];
    const rated = /^deriv\((\w+)\[\w+\]\)$/.exec(query)?.[1];
    const pattern = matched ?? rated ?? /^\w+$/.exec(query)?.[0];
    if (pattern === undefined) return undefined;
    const whole = new RegExp(`^(?:${pattern})$`);
    return [...this.#series.values()]
      .filter(({ labels }) => whole.test(labels['__name__'] ?? ''))
      .flatMap(({ labels, points }) => {
        const [at, newest] = points.at(-1) ?? [0, 0];
        if (rated === undefined) return [{ metric: labels, value: [at, String(newest)] }];
        const slope = slopeOf(points);
        const { __name__: _, ...metric } = labels;
        return slope === undefined ? [] : [{ metric, value: [at, String(slope)] }];
      });
  }

  stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#server.closeAllConnections();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

/** Of the line with the least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number | undefined {
  if (points.length < 2) return undefined;
  const mean = (pick: 0 | 1): number => points.reduce((sum, point) => sum + point[pick], 0) / points.length;
  const [atMean, valueMean] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [at]) => sum + (at - atMean) ** 2, 0);
  return points.reduce((sum, [at, value]) => sum + (at - atMean) * (value - valueMean), 0) / spread;
}
