import type { Amount, VolumeUsage } from '../../../core/kube/volume-usage.ts';

/** All figures of all volumes in one answer (pkg/kubelet/server/metrics/… kubelet_volume_stats_*). */
export const usageQuery =
  '{__name__=~"kubelet_volume_stats_(capacity_bytes|used_bytes|available_bytes|inodes|inodes_used|inodes_free)"}';
/** How fast the free space shrinks, in bytes a second, by a line through the last six hours. */
export const trendQuery = 'deriv(kubelet_volume_stats_available_bytes[6h])';

export function queryPath(query: string): string {
  return `/api/v1/query?query=${encodeURIComponent(query)}`;
}

/** One series of an answer: its labels, and the figure with its time in seconds. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly at: number;
}

/** The samples of an instant vector; undefined for anything that is not one. */
export function samplesOf(body: string): readonly Sample[] | undefined {
  const answer = parse(body);
  if (!isRecord(answer) || answer['status'] !== 'success' || !isRecord(answer['data'])) return undefined;
  const { resultType, result } = answer['data'];
  if (resultType !== 'vector' || !Array.isArray(result)) return undefined;
  return result.flatMap((series: unknown): Sample[] => {
    if (!isRecord(series) || !isRecord(series['metric']) || !Array.isArray(series['value'])) return [];
    const [at, text] = series['value'] as unknown[];
    const value = Number(text);
    if (typeof at !== 'number' || typeof text !== 'string' || !Number.isFinite(value)) return [];
    const labels = Object.fromEntries(
      Object.entries(series['metric']).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    );
    return [{ labels, value, at }];
  });
}

/** Why samples may be those of another cluster; undefined where they cannot. */
export function ambiguityOf(samples: readonly Sample[]): string | undefined {
  const clusters = new Set(samples.flatMap(({ labels: { cluster } }) => cluster ?? []));
  return clusters.size > 1
    ? `it holds the volumes of ${clusters.size} clusters (label cluster: ` +
        `${[...clusters].sort().slice(0, 4).join(', ')}), and which of them is this one is not known`
    : undefined;
}

/** A volume that several nodes mount has a series for each: the fullest counts. */
export function usageOfSamples(samples: readonly Sample[], trend: readonly Sample[], source: string): VolumeUsage[] {
  const byMount = Map.groupBy(
    samples.filter(({ labels }) => labels['namespace'] !== undefined && labels['persistentvolumeclaim'] !== undefined),
    mountOf,
  );
  const slopes = new Map(trend.map((sample) => [mountOf(sample), sample.value]));
  const byClaim = new Map<string, VolumeUsage>();
  for (const [mount, figures] of byMount) {
    const usage = usageOfMount(figures, slopes.get(mount), source);
    const key = usage && `${usage.namespace}/${usage.claim}`;
    if (!usage || key === undefined) continue;
    const known = byClaim.get(key);
    if (!known || shareOf(usage) > shareOf(known)) byClaim.set(key, usage);
  }
  return [...byClaim.values()];
}

function mountOf({ labels }: Sample): string {
  return [labels['namespace'], labels['persistentvolumeclaim'], labels['node'] ?? labels['instance'] ?? ''].join('/');
}

function usageOfMount(figures: readonly Sample[], slope: number | undefined, source: string): VolumeUsage | undefined {
  const [first] = figures;
  const { namespace, persistentvolumeclaim: claim } = first?.labels ?? {};
  if (!first || namespace === undefined || claim === undefined) return undefined;
  const value = (name: string): number | undefined =>
    figures.find(({ labels }) => labels['__name__'] === `kubelet_volume_stats_${name}`)?.value;
  const bytes = amountOf(value('capacity_bytes'), value('used_bytes'), value('available_bytes'));
  const inodes = amountOf(value('inodes'), value('inodes_used'), value('inodes_free'));
  if (!bytes && !inodes) return undefined;
  const fullIn = bytes && slope !== undefined && slope < 0 ? Math.round(bytes.free / -slope) : undefined;
  return {
    namespace,
    claim,
    source,
    at: new Date(first.at * 1000).toISOString(),
    ...(bytes && { bytes }),
    ...(inodes && { inodes }),
    ...(fullIn !== undefined && { fullInSeconds: fullIn }),
  };
}

/** File systems without inodes report zero of them. */
export function amountOf(
  total: number | undefined,
  used: number | undefined,
  free: number | undefined,
): Amount | undefined {
  if (total === undefined || total <= 0 || free === undefined) return undefined;
  return { total, used: used ?? Math.max(0, total - free), free };
}

function shareOf({ bytes }: VolumeUsage): number {
  return bytes ? bytes.used / bytes.total : 0;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
