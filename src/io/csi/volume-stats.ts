import type { Amount } from '../../core/kube/volume-usage.ts';
import { fullnessOf } from '../../core/kube/volume-usage.ts';
import type { ProbeCapabilities, ProbeVolume } from '../../core/report/probe-report.ts';
import type { CallResult, CsiConnection } from './client.ts';
import type { Deadline } from './deadline.ts';
import { eachOf } from './each-of.ts';
import type { volumeStats } from './messages.ts';
import { methods } from './methods.ts';
import type { PublishedVolume } from './published-volumes.ts';
import type { Decoded } from './wire.ts';
import { encodeTexts } from './wire.ts';

interface VolumeAnswer {
  readonly volumes?: readonly ProbeVolume[];
  readonly notes: readonly string[];
}

/** The kubelet asks once a minute, one volume after the other; a driver may handle several at a time. */
const atOnce = 4;
const mostNotes = 5;
/** csi.v1.VolumeUsage.Unit */
const units = { bytes: 1, inodes: 2 } as const;

/**
 * How full the volumes of this node are, as the kubelet asks it (pkg/volume/csi/csi_metrics.go): with the id and the
 * path where the volume is published, only if the driver has GET_VOLUME_STATS. A full volume, or one that does not
 * answer, is no failure of the driver.
 */
export async function askVolumeStats(
  connection: CsiConnection,
  { node = [] }: ProbeCapabilities,
  published: readonly PublishedVolume[],
  deadline: Deadline,
): Promise<VolumeAnswer> {
  if (published.length === 0) return { notes: [] };
  // Several pods can use one volume, which has one fullness.
  const distinct = [...new Map(published.map((volume) => [volume.volumeId, volume])).values()];
  if (!node.includes('GET_VOLUME_STATS'))
    return { notes: [`it cannot measure its ${countOf(distinct.length)}: it does not have GET_VOLUME_STATS`] };
  const volumes: ProbeVolume[] = [];
  await eachOf(distinct, atOnce, async (volume, index) => {
    volumes[index] = await askOne(connection, volume, deadline);
  });
  return { volumes, notes: notesOf(volumes) };
}

async function askOne(
  connection: CsiConnection,
  { volume, volumeId, path }: PublishedVolume,
  deadline: Deadline,
): Promise<ProbeVolume> {
  if (deadline.remainingMs() <= 0) return { volume, path, error: 'the time was over before it was its turn' };
  const request = encodeTexts({ 1: volumeId, 2: path });
  const result = await connection.call(methods.nodeGetVolumeStats, deadline, request);
  if (result.type !== 'answer') return { volume, path, error: errorOf(result) };
  const { usage, volumeCondition: condition } = result.value;
  const amounts = { ...amountOf('bytes', usage), ...amountOf('inodes', usage) };
  return {
    volume,
    path,
    ...amounts,
    ...(condition?.abnormal && { abnormal: condition.message || 'without further words' }),
    ...(Object.keys(amounts).length === 0 && { error: 'the driver answered without figures' }),
  };
}

function errorOf(result: Exclude<CallResult, { readonly type: 'answer' }>): string {
  if (result.type === 'status') return result.message === '' ? result.code : `${result.code}: ${result.message}`;
  return result.problem.detail ?? result.problem.failure;
}

/**
 * A driver that knows only part of the figures leaves the others zero (csi.proto, VolumeUsage: "total" is required).
 */
function amountOf(
  unit: keyof typeof units,
  usage: Decoded<typeof volumeStats>['usage'],
): { readonly [unit in 'bytes' | 'inodes']?: Amount } {
  const found = usage.find((entry) => entry.unit === units[unit]);
  if (found === undefined || found.total <= 0n) return {};
  return { [unit]: { total: Number(found.total), used: Number(found.used), free: Number(found.available) } };
}

function notesOf(volumes: readonly ProbeVolume[]): string[] {
  const full = volumes.flatMap((measured) => {
    const what = fullnessOf({ ...measured, namespace: '', claim: '', source: '' });
    if (what === undefined) return [];
    return [`volume ${measured.volume} is full${what === 'inodes' ? ': no inode is left' : ''}`];
  });
  const abnormal = volumes.flatMap(({ volume, abnormal }) =>
    abnormal === undefined ? [] : [`the driver reports that volume ${volume} is abnormal: ${abnormal}`],
  );
  const unmeasured = volumes.filter(({ error }) => error !== undefined);
  const [first] = unmeasured;
  const rest = unmeasured.length - 1;
  return [
    ...[...full, ...abnormal].slice(0, mostNotes),
    ...(first === undefined
      ? []
      : [
          `volume ${first.volume} was not measured${rest === 0 ? '' : `, nor ${countOf(rest, 'other')}`}: ${first.error ?? ''}`,
        ]),
  ];
}

function countOf(count: number, adjective = ''): string {
  return `${count} ${adjective === '' ? '' : `${adjective} `}${count === 1 ? 'volume' : 'volumes'}`;
}
