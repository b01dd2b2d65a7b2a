import type { ProbeCapabilities } from '../../core/report/probe-report.ts';
import type { CallResult, CsiConnection } from './client.ts';
import type { Deadline } from './deadline.ts';
import { methods } from './methods.ts';

interface HealthAnswer {
  readonly notes: readonly string[];
  readonly calls: readonly { readonly result: CallResult; readonly note?: string }[];
}

interface Reported {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

const volumeWords = ['trouble of a kind that is not known here', 'degraded', 'inaccessible', 'data loss'] as const;
const storageWords = ['trouble of a kind that is not known here', 'degraded', 'unreachable from this node'] as const;
const mostNotes = 5;

/**
 * What the driver reports about the health of its volumes and of its storage (CSI 1.13, alpha): only the calls that
 * need no volume, and each only if the driver claims it. What it reports is not a failure of the driver.
 */
export async function askHealth(
  connection: CsiConnection,
  { controller = [], node = [] }: ProbeCapabilities,
  deadline: Deadline,
): Promise<HealthAnswer> {
  const [volumes, storage] = await Promise.all([
    controller.includes('LIST_VOLUME_HEALTH')
      ? connection.call(methods.controllerListVolumeHealth, deadline)
      : undefined,
    node.includes('GET_STORAGE_HEALTH') ? connection.call(methods.nodeGetStorageHealth, deadline) : undefined,
  ]);
  const ofVolumes =
    volumes?.type === 'answer'
      ? volumes.value.entries.flatMap(({ volumeId, healthStatuses }) =>
          healthStatuses.map((entry) => `volume ${volumeId}: ${wordsOf(entry, volumeWords)}`),
        )
      : [];
  const ofStorage =
    storage?.type === 'answer'
      ? storage.value.backendHealth.map((entry) => `its storage: ${wordsOf(entry, storageWords)}`)
      : [];
  return {
    notes: [
      ...[...ofStorage, ...ofVolumes].slice(0, mostNotes).map((words) => `the driver reports ${words}`),
      ...[volumes, storage].flatMap((result) => refusalOf(result)),
    ],
    calls: [
      ...(volumes === undefined
        ? []
        : [{ result: volumes, ...(volumes.type === 'answer' && { note: countOf(ofVolumes.length, 'volume') }) }]),
      ...(storage === undefined
        ? []
        : [{ result: storage, ...(storage.type === 'answer' && { note: countOf(ofStorage.length, 'backend') }) }]),
    ],
  };
}

function wordsOf({ status, reason, message }: Reported, words: readonly string[]): string {
  const detail = [reason, message].filter((text) => text !== '').join(': ');
  return `${words[status] ?? words[0] ?? ''}${detail === '' ? '' : ` (${detail})`}`;
}

function countOf(count: number, noun: string): string {
  if (count === 0) return 'no trouble reported';
  return `trouble reported for ${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Without an answer nothing is known to be healthy. */
function refusalOf(result: CallResult | undefined): string[] {
  if (result === undefined || result.type === 'answer') return [];
  return [
    `${result.method} failed${result.type === 'status' ? ` with ${result.code}: ${result.message}` : ''}, ` +
      'possibly because it needs secrets: the health is not known',
  ];
}
