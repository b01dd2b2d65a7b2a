import { onTestFinished } from 'vitest';
import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../src/sim/api-server.ts';

export const takenAt = '2026-03-01T12:00:00Z';

export function snapshotOf(objects: readonly RawObject[], more: Partial<Snapshot> = {}): Snapshot {
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt,
    source: { type: 'files', name: 'test' },
    objects,
    observations: [],
    ...more,
  };
}

/** A server that stands still in time and ends with the test. */
export async function serve(
  objects: readonly RawObject[],
  options: ApiServerOptions = {},
  more: Partial<Snapshot> = {},
): Promise<ApiServer> {
  const server = await startApiServer(snapshotOf(objects, more), { now: () => Date.parse(takenAt), ...options });
  onTestFinished(() => server.close());
  return server;
}

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  // Answers are read as whatever the test expects of them.
  readonly body: any;
}

export async function ask(
  server: ApiServer,
  path: string,
  accept = 'application/json',
  init: RequestInit = {},
): Promise<JsonAnswer> {
  const response = await fetch(server.url + path, {
    ...init,
    headers: { accept, ...(init.headers as Record<string, string> | undefined) },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: response.headers.get('content-type')?.startsWith('application/json') === true ? JSON.parse(text) : text,
  };
}

export const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

export function claim(
  namespace: string,
  name: string,
  more: { labels?: Record<string, string>; phase?: string; version?: number } = {},
): RawObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      resourceVersion: String(more.version ?? 7),
      creationTimestamp: '2026-03-01T11:46:00Z',
      ...(more.labels === undefined ? {} : { labels: more.labels }),
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' },
    status: { phase: more.phase ?? 'Pending' },
  };
}

export function pod(namespace: string, name: string, node: string | undefined): RawObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `uid-${name}`, creationTimestamp: '2026-03-01T11:00:00Z' },
    spec: { containers: [{ name: 'main' }], ...(node === undefined ? {} : { nodeName: node }) },
    status: { phase: node === undefined ? 'Pending' : 'Running' },
  };
}

export const namesIn = (list: { readonly items: readonly RawObject[] }): string[] =>
  list.items.map((item) => item.metadata.name);
