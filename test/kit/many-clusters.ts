import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../src/sim/api-server.ts';

/** One context of the kubeconfig, and the server behind it. */
export interface ClusterPlan {
  readonly name: string;
  readonly snapshot?: Snapshot;
  readonly options?: ApiServerOptions;
  readonly namespace?: string;
  /** Instead of a server of its own: an address, or the server of another context. */
  readonly server?: string;
  readonly sameAs?: string;
  /** More lines of the user, in JSON. */
  readonly user?: Readonly<Record<string, unknown>>;
  readonly cluster?: Readonly<Record<string, unknown>>;
}

export interface ManyClusters {
  readonly kubeconfig: string;
  readonly directory: string;
  readonly servers: ReadonlyMap<string, ApiServer>;
  close(): Promise<void>;
}

/** Embedded clusters, and a kubeconfig with a context for each. */
export async function startClusters(plans: readonly ClusterPlan[]): Promise<ManyClusters> {
  const servers = new Map<string, ApiServer>();
  await Promise.all(
    plans.map(async ({ name, snapshot, options }) => {
      if (snapshot) servers.set(name, await startApiServer(snapshot, options));
    }),
  );
  const directory = mkdtempSync(join(tmpdir(), 'csi-contexts-'));
  const kubeconfig = join(directory, 'config');
  const urlOf = ({ name, server, sameAs = name }: ClusterPlan): string => server ?? servers.get(sameAs)?.url ?? '';
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': plans[0]?.name,
      clusters: plans.map((plan) => ({ name: plan.name, cluster: { server: urlOf(plan), ...plan.cluster } })),
      users: plans.map(({ name, user = {} }) => ({ name, user })),
      contexts: plans.map(({ name, namespace }) => ({ name, context: { cluster: name, user: name, namespace } })),
    }),
  );
  return {
    kubeconfig,
    directory,
    servers,
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export interface Silence {
  readonly url: string;
  /** How many connections were opened to it. */
  readonly count: () => number;
  close(): Promise<void>;
}

/** A port that takes connections and never says anything. */
export async function startSilence(): Promise<Silence> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => sockets.length,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
