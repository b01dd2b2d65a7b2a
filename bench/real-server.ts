import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import type { RawObject } from '../src/core/kube/snapshot.ts';
import { cacheDirectory, missingBinaries, pathOf } from '../test/e2e/binaries.ts';
import { Api } from '../test/e2e/cluster/api.ts';
import { Authority } from '../test/e2e/cluster/certificates.ts';
import { freePorts } from '../test/e2e/cluster/ports.ts';
import { endOf, Processes } from '../test/e2e/cluster/processes.ts';
import { apiServerArguments, etcdArguments } from '../test/e2e/cluster/server-arguments.ts';
import { until } from '../test/e2e/cluster/until.ts';
import { binariesFor, newestMinor } from '../test/e2e/versions.ts';
import type { Binary } from '../test/e2e/versions.ts';
import { benchCluster } from './bench-cluster.ts';
import type { BenchSize } from './bench-cluster.ts';

interface RealServer {
  readonly port: number;
  readonly kubeconfig: string;
  readonly api: Api;
  /** A kubeconfig for the same server behind another port of this machine. */
  readonly kubeconfigAt: (port: number) => string;
  stop(): Promise<void>;
}

/** Nothing else is started: no controller changes what was loaded. */
const needed: readonly Binary[] = binariesFor(newestMinor).filter(
  ({ name }) => name === 'etcd' || name === 'kube-apiserver',
);

export function missingForRealServer(): readonly Binary[] {
  return missingBinaries(needed);
}

/**
 * A kube-apiserver over an etcd that holds the cluster; the data stay in the cache, so that the next run finds them. With
 * `features`, such as ListFromCacheSnapshot=false, it is a server of 1.34 with these feature gates: later versions have locked them.
 */
export async function startRealServer(
  size: BenchSize,
  directory: string,
  say: (line: string) => void,
  features?: string,
): Promise<RealServer> {
  const binary = (name: string): string => pathOf(needed.find((candidate) => candidate.name === name) as Binary);
  const processes = new Processes(join(directory, 'logs'));
  try {
    const [clientPort, peerPort, apiPort] = (await freePorts(3)) as [number, number, number];
    const recipe = createHash('sha256')
      .update(readFileSync(new URL('bench-cluster.ts', import.meta.url)))
      .digest('hex')
      .slice(0, 12);
    const data = join(cacheDirectory, 'bench', `${size.claims}-${size.broken}-${recipe}`);
    const isLoaded = existsSync(data);
    const place = isLoaded ? data : `${data}.unfinished`;
    if (!isLoaded) rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true, mode: 0o700 });
    const startEtcd = (at: string) =>
      processes.start('etcd', binary('etcd'), [
        ...etcdArguments(at, clientPort, peerPort),
        '--force-new-cluster',
        '--quota-backend-bytes=8000000000',
        '--log-level=warn',
      ]);
    const etcd = startEtcd(place);
    if (!isLoaded) {
      await load(clientPort, size, say);
      await etcd.stop();
      renameSync(place, data);
      startEtcd(data);
    }
    const authority = await Authority.create(join(directory, 'pki'));
    const [serving, accounts, admin] = await Promise.all([
      authority.issue('apiserver', 'kube-apiserver', ['system:masters'], ['127.0.0.1']),
      authority.signingKey(),
      authority.issue('admin', 'admin', ['system:masters']),
    ]);
    const server = processes.start('kube-apiserver', binary('kube-apiserver'), [
      ...apiServerArguments({ etcdPort: clientPort, port: apiPort, authority, serving, accounts }),
      '--authorization-mode=RBAC',
      ...(features === undefined ? [] : ['--emulated-version=1.34', `--feature-gates=${features}`]),
    ]);
    const api = Api.connect(apiPort, authority, admin);
    await until('the API server', 600, async () => (await api.call('GET', '/readyz')) === 'ok').catch(
      (error: unknown) => {
        throw new Error(`${error instanceof Error ? error.message : String(error)}\n${endOf(server.log)}`);
      },
    );
    const stopWriting = await keepWriting(api);
    const kubeconfigAt = (port: number): string =>
      authority.writeKubeconfig(`admin-${port}`, `https://127.0.0.1:${port}`, admin);
    return {
      port: apiPort,
      kubeconfig: kubeconfigAt(apiPort),
      api,
      kubeconfigAt,
      stop: async () => {
        stopWriting();
        api.close();
        await processes.stopAll();
      },
    };
  } catch (error) {
    await processes.stopAll();
    throw error;
  }
}

/**
 * Once in a while somebody writes a claim and a volume, as in any cluster that lives. Where nobody ever does, the server drops the snapshots
 * of its cache at the next compaction and fetches every page but the first from etcd, for both programs alike.
 */
async function keepWriting(api: Api): Promise<() => void> {
  const paths = await Promise.all(
    ['persistentvolumeclaims', 'persistentvolumes'].map(async (plural) => {
      const {
        items: [first],
      } = (await api.call('GET', `/api/v1/${plural}?limit=1`)) as { readonly items: readonly RawObject[] };
      return (
        first &&
        `/api/v1/${first.metadata.namespace === undefined ? '' : `namespaces/${first.metadata.namespace}/`}${plural}/${first.metadata.name}`
      );
    }),
  );
  const write = async (): Promise<void> => {
    for (const path of paths)
      if (path !== undefined)
        await api
          .call(
            'PATCH',
            path,
            { metadata: { annotations: { 'bench.example.com/written': new Date().toISOString() } } },
            'application/merge-patch+json',
          )
          .catch(() => undefined);
  };
  await write();
  const timer = setInterval(() => void write(), 20_000);
  return () => clearInterval(timer);
}

const perTransaction = 100;
const atOnce = 8;
const odd: Readonly<Record<string, string>> = { Node: 'minions', StorageClass: 'storageclasses' };

/** Straight into etcd: the API server reads JSON from it as well as its own encoding, and thousands a second are loaded instead of hundreds. */
async function load(port: number, size: BenchSize, say: (line: string) => void): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const begun = Date.now();
  await until('etcd', 30, async () => (await post(agent, port, '/v3/maintenance/status', {})) !== undefined);
  const running = new Set<Promise<void>>();
  let loaded = 0;
  let batch: RawObject[] = [];
  const flush = async (): Promise<void> => {
    const puts = batch.map((object) => ({
      requestPut: { key: encode(keyOf(object)), value: encode(JSON.stringify(object)) },
    }));
    loaded += batch.length;
    batch = [];
    const sent: Promise<void> = post(agent, port, '/v3/kv/txn', { success: puts }).then(
      () => void running.delete(sent),
    );
    running.add(sent);
    if (running.size >= atOnce) await Promise.race(running);
  };
  for (const object of benchCluster(size, new Date())) {
    batch.push(object);
    if (batch.length === perTransaction) await flush();
    if (loaded > 0 && loaded % 100_000 === 0 && batch.length === 0)
      say(`${loaded} objects in ${Math.round((Date.now() - begun) / 1000)} s`);
  }
  await flush();
  await Promise.all(running);
  agent.destroy();
  say(`loaded ${loaded} objects in ${Math.round((Date.now() - begun) / 1000)} s`);
}

function keyOf({ kind, metadata: { namespace, name } }: RawObject): string {
  return `/registry/${odd[kind] ?? `${kind.toLowerCase()}s`}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}

function post(agent: Agent, port: number, path: string, body: unknown): Promise<unknown> {
  const payload = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`etcd: ${text.slice(0, 300)}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}
