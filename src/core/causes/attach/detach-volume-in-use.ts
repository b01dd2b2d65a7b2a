import type { Node, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
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
    summary: `${detach.lead}: the kubelet there has not unmounted it${reasonWords(detach, mounted)}`,
    evidence: [
      field(node, 'status.volumesInUse', name),
      ...(leaving ? [field(leaving, 'metadata.deletionTimestamp')] : []),
      ...detachEvidence(detach),
    ],
    fix: fixesFor(detach, leaving),
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
    const { waitedSeconds } = detach;
    if (waitedSeconds <= patienceSeconds || !detach.holders?.complete) return undefined;
    return { node, name, leaving, waitedSeconds };
  }
  // The deletionTimestamp of a pod is when its grace period ends.
  const waitedSeconds = (ask.now - (parseTime(leaving.metadata.deletionTimestamp) ?? ask.now)) / 1000;
  return waitedSeconds > overdueSeconds ? { node, name, leaving, waitedSeconds } : undefined;
}

function reasonWords({ ask }: DetachCase, { leaving, waitedSeconds }: MountedVolume): string {
  return leaving
    ? `; pod/${leaving.metadata.name} should have ended ${ageText(ask.now - waitedSeconds * 1000, ask.now)} ago and has not`
    : ', though no pod there uses it any more';
}

function fixesFor({ node, driver }: DetachCase, leaving: Pod | undefined): Fix[] {
  return [
    leaving
      ? fix(
          'see what keeps the old pod from ending',
          `kubectl ${inNamespace(leaving.metadata.namespace)}describe pod ${shellWord(leaving.metadata.name)}`,
        )
      : fix(
          'read what the kubelet says about unmounting (no event is written for it)',
          `kubectl get --raw ${shellWord(`/api/v1/nodes/${node}/proxy/logs/kubelet.log`)}`,
        ),
    fix(
      `see whether the node plugin of ${driver ?? 'the driver'} runs on ${node}: without it nothing can be unmounted`,
      `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
    ),
  ];
}
