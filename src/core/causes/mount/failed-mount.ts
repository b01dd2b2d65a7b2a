import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Fix } from '../../report/report.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { steps } from '../lib/steps.ts';
import { knownNode, nodeOf, volumeWords } from './told-volume.ts';
import {
  directoryFailedText,
  groupFailedText,
  rpcErrorText,
  windowsPathText,
} from '../lib/driver-error/sentences/kubelet.ts';

/** Everything a fix for a failed mount may name. */
export interface FailedMount {
  readonly p: PodCase;
  readonly use: VolumeUse | undefined;
  /** Undefined where the kubelet mounts without a driver, or the driver is not known. */
  readonly driver: string | undefined;
  /** What the kubelet reported. */
  readonly text: string;
}

/**
 * The kubelet tries again on its own after this time at the latest (exponential backoff of nestedpendingoperations).
 */
export const retryWords = 'The kubelet retries within about 2 minutes.';

/** Completes a sentence about mount options that were changed. */
export const keptWords = 'the kubelet keeps the options that it has read for a pod';

/** How the storage calls the volume. */
export function storageName({ use }: FailedMount): string {
  const handle = use?.handle;
  return handle === undefined ? volumeWords(use) : `volume ${handle}`;
}

export function restartFix(p: PodCase, text: string, risk: Fix['risk'] = 'safe'): Fix {
  return steps(text, restartPodCommands(p.pod), p.pod.status?.phase === 'Running' ? 'disruptive' : risk);
}

/** By its object, by what the pod asks for, or by the paths of the error. */
export function runsWindows({ p, text }: FailedMount): boolean {
  const { nodeSelector } = p.pod.spec ?? {};
  return isWindows(knownNode(p)) || nodeSelector?.['kubernetes.io/os'] === 'windows' || windowsPathText.test(text);
}

/** A look at the node whose result decides. */
export function lookFix(m: FailedMount, command: string, text: (node: string) => string): Fix {
  const node = nodeOf(m.p);
  return runsWindows(m)
    ? steps(`${text(node)} Log in there for that: it runs Windows.`, [])
    : steps(text(node), [onNode(node, command)]);
}

/** Before it calls the driver, the kubelet creates a directory; afterwards it sets the group of the files. */
export function isSaidByKubelet(text: string): boolean {
  return (directoryFailedText.test(text) || groupFailedText.test(text)) && !rpcErrorText.test(text);
}
