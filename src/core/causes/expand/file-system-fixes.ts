import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { driverWords, volumeOf } from './expansion.ts';

/** The words of the driver say more than a rule can. */
export function correctOnNode(c: PresentClaim): Fix {
  return steps(
    `Correct what ${driverWords(c)} names, on the node or in the settings of the driver. The kubelet retries within a few minutes.`,
    [],
  );
}

/** The volume stays mounted and in use at its old size: nothing is repaired while it is. */
export function checkFileSystem(c: PresentClaim, pod: Pod | undefined): Fix[] {
  const node = pod?.spec?.nodeName;
  const fsType = volumeOf(c)?.spec?.csi?.fsType;
  const text =
    'Compare the file system on the device of ' +
    `${volumeOf(c)?.spec?.csi?.volumeHandle ?? `pv/${c.volumeName}`} with what the driver ` +
    `expects${fsType ? ` (fsType ${fsType})` : ''}, and read the kernel log. ` +
    'Another FSTYPE: the driver calls the wrong tool, update it or correct fsType. ' +
    'The expected FSTYPE: the file system needs a check; back up the data, stop the pods, and let fsck run ' +
    'at the next mount. Never format the device.';
  return [steps(text, node === undefined ? [] : [onNode(node, 'sh -c "lsblk -f; dmesg | tail -n 30"')])];
}
