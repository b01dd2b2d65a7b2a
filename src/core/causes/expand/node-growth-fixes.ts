import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { mountSenseOf } from '../lib/driver-error/node-sense.ts';
import type { MountSense } from '../lib/driver-error/node-senses/sense.ts';
import { grantFix } from '../lib/grant.ts';
import { steps } from '../lib/steps.ts';
import { updateImage } from '../mount/node-software.ts';
import { restartPlugin } from '../mount/plugin-fixes.ts';
import { resizerOf, volumeOf } from './expansion.ts';

const retry = 'The kubelet retries within about 2 minutes.';

/** What an error on a node means for the growth of a file system that is mounted there already. */
interface NodeGrowthSense {
  readonly meaning: string;
  readonly fixes: readonly Fix[];
}

/** Undefined where the words are not known, or mean something only before the first mount. */
export function nodeGrowthSense(c: PresentClaim, pod: Pod | undefined, words: string): NodeGrowthSense | undefined {
  const sense = mountSenseOf(words);
  const fixes = sense && fixesFor(c, pod?.spec?.nodeName ?? 'the node', sense, words);
  return fixes && { meaning: sense.meaning, fixes };
}

function fixesFor(c: PresentClaim, node: string, { id }: MountSense, words: string): Fix[] | undefined {
  const { driver } = resizerOf(c);
  const who = driver ?? 'the driver';
  switch (id) {
    case 'program':
      return [updateImage({ ask: c.ask, node, driver, likely: 'it is not named', text: words })];
    case 'driverDown':
      return [
        restartPlugin(
          c.ask,
          driver,
          node,
          `Save the log of the node plugin on ${node} and restart it; its DaemonSet recreates the pod. A ` +
            `FUSE driver loses its mounts on the node. ${retry}`,
        ),
      ];
    case 'apiForbidden':
      return [grantFix(words, driver, retry)];
    case 'passphrase':
      return [
        steps(
          `Write the passphrase with which the volume was encrypted into the Secret that ${who} uses to ` +
            'grow volumes (spec.csi.nodeExpandSecretRef of ' +
            `pv/${volumeOf(c)?.metadata.name ?? c.volumeName}). ${retry}`,
          [],
        ),
      ];
    case 'network':
    case 'names':
      return [
        steps(
          `Ask the network team to open the path from ${node} to the storage that the error names (routes, firewall, DNS). ${retry}`,
          [],
        ),
      ];
    case 'outage':
    case 'storageBusy':
      return [
        steps(
          'Ask your storage team to bring back or release what the error names (down, in maintenance, or ' +
            `busy with another operation). ${retry}`,
          [],
        ),
      ];
    default:
      return undefined;
  }
}
