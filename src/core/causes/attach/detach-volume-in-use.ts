import type { Node, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { findNodePlugin } from '../../facts/driver/node-plugin.ts';
import { field } from '../../facts/evidence.ts';
import { containerStatusesOf, isReady, lastUseOf } from '../../facts/pod/pod-state.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { whyAbsent } from '../mount/absent-plugin.ts';
import { runPluginFixes } from '../mount/driver-not-on-node.ts';
import { registrationOf } from '../mount/needed-drivers.ts';
import { restartPlugin } from '../mount/plugin-fixes.ts';
import { startPluginFix } from '../mount/plugin-start-fixes.ts';
import { volumeObjectOf } from './attach-trouble.ts';
import {
  detachEvidence,
  detachRules,
  isLeaving,
  isNodeReady,
  leavingHolders,
  nameInUse,
  nodeOf,
  stayingHolders,
} from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';

/** How long the kubelet may take to unmount once no pod uses the volume. */
const patienceSeconds = 120;
/** How long a pod may outlive its grace period. */
const overdueSeconds = 60;

interface MountedVolume {
  readonly node: Node;
  /** How the kubelet lists the volume. */
  readonly name: string;
  /** The pod that does not end; undefined when no pod uses the volume any more. */
  readonly leaving: Pod | undefined;
  readonly waitedSeconds: number;
}

/**
 * operation_generator.go verifyVolumeIsSafeToDetach: while the kubelet lists the volume as in use the controller waits,
 * and says so only in its log.
 */
export const detachVolumeInUse = detachRules('detach-volume-in-use', 'blocking', (detach) => {
  const mounted = findMountedVolume(detach);
  if (!mounted) return undefined;
  const { node, name, leaving } = mounted;
  return {
    summary: `${detach.lead}: its kubelet has not unmounted it. ${reasonText(detach, mounted)}`,
    evidence: [
      field(node, 'status.volumesInUse', name),
      ...(leaving ? [field(leaving, 'metadata.deletionTimestamp')] : []),
      ...detachEvidence(detach),
    ],
    fix: fixesFor(detach, node, leaving),
  };
});

function findMountedVolume(detach: DetachCase): MountedVolume | undefined {
  const { seenFrom, ask } = detach;
  if (seenFrom === 'same node' || isLeaving(detach) || stayingHolders(detach).length > 0) return undefined;
  const lookup = nodeOf(detach);
  if (lookup.state !== 'found' || !isNodeReady(lookup.object)) return undefined;
  const node = lookup.object;
  const name = nameInUse(detach, node);
  if (name === undefined) return undefined;
  const [leaving] = leavingHolders(detach);
  if (!leaving) {
    const waitedSeconds = Math.min(detach.waitedSeconds, youngestPodSeconds(detach));
    if (waitedSeconds <= patienceSeconds || !detach.holders?.complete) return undefined;
    return { node, name, leaving, waitedSeconds };
  }
  // The deletionTimestamp of a pod is when its grace period ends.
  const waitedSeconds = (ask.now - (parseTime(leaving.metadata.deletionTimestamp) ?? ask.now)) / 1000;
  return waitedSeconds > overdueSeconds ? { node, name, leaving, waitedSeconds } : undefined;
}

/**
 * A pod elsewhere that is younger than the patience shows that the last pod here ended only then, and so does a pod
 * here that has ended and is still listed: the kubelet unmounts its volumes until the end of its grace period.
 */
function youngestPodSeconds(detach: DetachCase): number {
  const { namespace, name } = volumeObjectOf(detach)?.spec?.claimRef ?? {};
  if (!namespace || !name) return Number.POSITIVE_INFINITY;
  const ages = detach.ask.podsUsing({ namespace, name }).items.map((pod) => {
    const time = parseTime(lastUseOf(pod, detach.node));
    return (detach.ask.now - (time ?? 0)) / 1000;
  });
  return Math.min(Number.POSITIVE_INFINITY, ...ages);
}

function reasonText({ ask }: DetachCase, { leaving, waitedSeconds }: MountedVolume): string {
  return leaving
    ? `pod/${leaving.metadata.name} there should have ended ${ageText(ask.now - waitedSeconds * 1000, ask.now)} ago and has not.`
    : 'No pod there uses it any more.';
}

/** Only the node plugin can unmount, and only the kubelet's log says why it fails. */
function fixesFor({ node, driver, ask }: DetachCase, object: Node, leaving: Pod | undefined): Fix[] {
  const plugin = driver === undefined ? undefined : findNodePlugin(ask, driver, node);
  const pod = plugin?.pods.items[0];
  if (driver !== undefined && !pod && plugin?.pods.complete) return runAgainFixes({ ask, driver, node });
  if (pod && !isReady(pod)) {
    const status = containerStatusesOf(pod).find(({ ready }) => ready !== true);
    return [startPluginFix(ask, pod, status), ...kubeletFixes(object)];
  }
  const what = leaving ? `ends pod/${leaving.metadata.name} and unmounts the volume` : 'unmounts the volume';
  const restart = restartPlugin(
    ask,
    driver,
    node,
    `If the kubelet still fails to unmount, save the log of the node plugin on ${node}, which shows why, and restart it.`,
  );
  return [...kubeletFixes(object, what), restart];
}

/** No pod of the driver runs on the node, so nothing can be unmounted there. */
function runAgainFixes({ ask, driver, node }: { ask: DetachCase['ask']; driver: string; node: string }): Fix[] {
  const registration = registrationOf(ask, driver, node, {});
  return runPluginFixes(registration, whyAbsent(registration));
}

function kubeletFixes(node: Node, what = 'unmounts the volume'): Fix[] {
  const { name } = node.metadata;
  const text =
    `Restart the kubelet of ${name}, so that it ${what}; other containers keep running. ` +
    'The volume is then detached within about a minute.';
  return [
    isWindows(node)
      ? steps(`${text} The node runs Windows (Restart-Service kubelet).`, [], 'disruptive')
      : steps(`${text} Delete the debug pod afterwards.`, [onNode(name, 'systemctl restart kubelet')], 'disruptive'),
  ];
}
