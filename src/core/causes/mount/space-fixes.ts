import type { Fix } from '../../report/report.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { lookFix, retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { knownNode, nodeOf } from './told-volume.ts';

export function freeVolumeFix(m: FailedMount): Fix {
  return lookFix(
    m,
    'df -h',
    (node) => `Free space where "Use%" is 100% on ${node}; if it is the volume, grow the claim. ${retryWords}`,
  );
}

/** Unused images are pulled again when a pod needs them. */
export function freeNodeFix({ p }: FailedMount): Fix {
  const node = nodeOf(p);
  const text =
    `Free space on the file system of ${node} that has /var/lib/kubelet: ` +
    'remove unused images, which are pulled again when a pod needs them. ' +
    `If "Use%" stays near 100%, remove what else fills it. ${retryWords}`;
  return isWindows(knownNode(p))
    ? steps(text, [])
    : steps(text, [onNode(node, 'crictl rmi --prune'), onNode(node, 'df -h /var/lib/kubelet')]);
}
