import { field } from '../../facts/evidence.ts';
import { findController } from '../../facts/driver/drivers.ts';
import { handleOf } from '../../facts/volume/volume-use.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { unplacedTexts } from '../lib/driver-error/senses/nodes.ts';
import { steps } from '../lib/steps.ts';
import { storageViewOf, viewCommands } from '../lib/storage-view.ts';
import type { AttachError } from './attach-error.ts';
import { retryText } from './attach-retry.ts';
import { volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { handleText } from './holding-node.ts';
import { nodeListOf } from './node-registry.ts';

const countKey = /^(?:numberOfReplicas|repl|replicas?|replicaCount|replica[_-]count|placementCount|autoPlace)$/i;

interface Unplaced {
  readonly text: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/** Storage that keeps copies of a volume on several nodes, and has not placed them. */
export function unplacedReplicasIn(trouble: AttachTrouble, { words }: AttachError): Unplaced | undefined {
  if (!unplacedTexts.test(words)) return undefined;
  const volume = volumeObjectOf(trouble);
  const asked = volume && replicasOf(volume);
  const size = volume?.spec?.capacity?.storage;
  const sizeText = size === undefined ? '' : ` of ${size}`;
  const request = asked ? `${asked.count} replicas${sizeText}` : `its replicas${sizeText}`;
  return {
    text: ` The storage has found no place for ${asked ? request : `the replicas of the volume`}; that the pod is scheduled has nothing to do with it.`,
    evidence: volume && asked ? [field(volume, asked.path, asked.count)] : [],
    fix: [placeFix(trouble, asked, request)],
  };
}

interface Replicas {
  readonly path: string;
  readonly count: string;
}

function replicasOf({ spec }: Volume): Replicas | undefined {
  const entry = Object.entries(spec?.csi?.volumeAttributes ?? {}).find(([key]) =>
    countKey.test(key.slice(key.lastIndexOf('/') + 1)),
  );
  return entry && { path: `spec.csi.volumeAttributes.${entry[0]}`, count: entry[1] };
}

function placeFix(trouble: AttachTrouble, asked: Replicas | undefined, request: string): Fix {
  const volume = volumeObjectOf(trouble);
  const view = storageViewOf(trouble.driver, volume);
  const list = nodeListOf(trouble.driver, 'yaml');
  const fewer = Number(asked?.count ?? 1) - 1;
  const lower = lowerCommand(trouble, volume, fewer);
  const look =
    view.command !== undefined && list !== undefined
      ? ' The first command shows which condition of the volume fails, the second which nodes and disks of the storage can take a replica.'
      : '';
  const how = lower === undefined ? ' there' : ` to ${fewer} with the last line`;
  return steps(
    `Give the storage room for ${request} of ${handleText(volume) ?? 'the volume'}: add a disk or a node to it, or ` +
      'bring back or allow scheduling on those that it does not use. If fewer copies are enough, lower the number of ' +
      `replicas of this volume${how}.${look} ${retryText(trouble)}`,
    [...viewCommands(view), ...(list === undefined ? [] : [list]), ...(lower === undefined ? [] : [lower])],
  );
}

/** Longhorn takes the number of replicas of an existing volume from its own object. */
function lowerCommand({ ask, driver }: AttachTrouble, volume: Volume | undefined, count: number): string | undefined {
  const handle = volume && handleOf(volume);
  if (driver !== 'driver.longhorn.io' || handle === undefined || !(count >= 1)) return undefined;
  const home = findController(ask, driver, 'attacher').pods.items[0]?.metadata.namespace ?? 'longhorn-system';
  return `kubectl -n ${shellWord(home)} patch volumes.longhorn.io ${shellWord(handle)} --type=merge -p '{"spec":{"numberOfReplicas":${count}}}'`;
}
