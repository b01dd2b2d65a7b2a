import type { ApiClient } from '../api-client.ts';
import { plainJson } from '../paths.ts';
import { isRecord } from './prometheus.ts';

/** A Service of the cluster that may be a Prometheus, and the path on which the API server passes requests on to it. */
interface PrometheusService {
  readonly name: string;
  readonly path: string;
}

export type FoundServices =
  | { readonly type: 'found'; readonly services: readonly PrometheusService[] }
  | { readonly type: 'denied' | 'failed'; readonly message: string };

/** The labels that the Prometheus operator and the usual charts give the Service. */
const selectors: readonly string[] = [
  'operated-prometheus=true',
  'app.kubernetes.io/name in (prometheus,prometheus-server)',
  'app in (prometheus,kube-prometheus-stack-prometheus)',
];
const mostServices = 4;

export async function findPrometheus(client: ApiClient): Promise<FoundServices> {
  const services: PrometheusService[] = [];
  for (const selector of selectors) {
    const path = `/api/v1/services?limit=20&labelSelector=${encodeURIComponent(selector)}`;
    const answer = await client.get(path, plainJson);
    if (!('body' in answer)) return { type: 'failed', message: answer.message };
    if (answer.status === 403) return { type: 'denied', message: answer.message };
    if (answer.status !== 200) return { type: 'failed', message: answer.message };
    const items = Array.isArray(answer.body['items']) ? (answer.body['items'] as unknown[]) : [];
    services.push(...items.flatMap((item) => serviceOf(item) ?? []));
    if (services.length > 0) break;
  }
  return { type: 'found', services: services.slice(0, mostServices) };
}

function serviceOf(item: unknown): PrometheusService | undefined {
  if (!isRecord(item) || !isRecord(item['metadata']) || !isRecord(item['spec'])) return undefined;
  const { name, namespace } = item['metadata'];
  const ports = Array.isArray(item['spec']['ports']) ? (item['spec']['ports'] as unknown[]) : [];
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined;
  // An exporter or an alert manager next to it has the same label of the chart.
  if (/exporter|alertmanager|pushgateway|operator|kube-state/.test(name)) return undefined;
  const numbers = ports.flatMap((port) =>
    isRecord(port) && typeof port['port'] === 'number' ? [{ name: port['name'], number: port['port'] }] : [],
  );
  const port =
    numbers.find(({ name: portName }) => portName === 'web' || portName === 'http-web' || portName === 'http') ??
    numbers.find(({ number }) => number === 9090) ??
    numbers[0];
  if (!port) return undefined;
  const target = `${encodeURIComponent(name)}:${port.number}`;
  return {
    name: `${namespace}/${name}`,
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/services/${target}/proxy`,
  };
}
