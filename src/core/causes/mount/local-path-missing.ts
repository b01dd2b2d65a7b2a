import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { describeReach } from '../../facts/volume/volume-reach.ts';
import type { Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { onNode } from '../lib/node-commands.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { localOf, pathEvidence } from './path-on-node.ts';
import { nodeOf, podWords } from './told-volume.ts';
import { findVolumeFailure } from './waiting-volumes.ts';
import type { VolumeFailure } from './waiting-volumes.ts';
import { hostPathTypeText, localPathMissingTexts, rpcErrorText } from '../lib/driver-error/sentences/kubelet.ts';

/** A local or hostPath volume names a path of the node that is not there (pkg/volume/local, pkg/volume/hostpath). */
export const localPathMissing = podRule({
  cause: 'local-path-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = findMissingPath(p);
    if (!failure) return undefined;
    const path = pathOf(failure);
    return {
      confidence: 'likely',
      summary:
        `${path}, the path of ${failure.volume?.label ?? 'a volume'}, ${describeReason(failure)} on ` +
        `${nodeOf(p)}. ${podWords(p)} cannot mount it.`,
      evidence: pathEvidence(p, failure, localOf(failure.volume) ? 'local' : 'hostPath'),
      fix: adviceFor(nodeOf(p), path, failure),
    };
  },
});

/**
 * Drivers report missing paths too, but this is about a path of the node; hostpath-type-check says more where it
 * applies.
 */
function findMissingPath(p: PodCase): VolumeFailure | undefined {
  const failure = findVolumeFailure(p, localPathMissingTexts);
  if (!failure) return undefined;
  const { volume, match } = failure;
  const isOfNode = volume === undefined || localOf(volume) !== undefined || volume.source.hostPath !== undefined;
  return isOfNode && !rpcErrorText.test(match.input) && !hostPathTypeText.test(match.input) ? failure : undefined;
}

function pathOf({ match, volume }: VolumeFailure): string {
  return match[1] ?? match[4] ?? localOf(volume)?.path ?? volume?.source.hostPath?.path ?? 'its path';
}

function describeReason({ match }: VolumeFailure): string {
  if (match[2] !== undefined) return 'is neither a directory nor a block device';
  return match[3] ? 'is not a path that may be used' : 'does not exist';
}

function adviceFor(node: string, path: string, { volume, match }: VolumeFailure): Fix[] {
  const object = volume?.owner.kind === 'PersistentVolume' ? (volume.owner as Volume) : undefined;
  const isBlock = object?.spec?.volumeMode === 'Block';
  const reach = object?.spec?.nodeAffinity?.required && describeReach(object);
  const elsewhere = steps(
    reach
      ? 'If the data is on another node, create a volume for that node instead: ' +
          `the node affinity of ${volume?.label ?? 'the volume'} (${reach}) cannot be changed.`
      : 'If the data is on another node, create a volume with a node affinity for that node instead: ' +
          `${volume?.label ?? 'the volume'} has none, so the pod may be placed anywhere.`,
    [],
    'disruptive',
  );
  const isMissing = match[2] === undefined && match[3] === undefined && path.startsWith('/');
  if (isBlock || !isMissing)
    return [
      steps(
        `Correct ${node}: attach the disk of ${volume?.label ?? 'the volume'} so that it is at ${path}. ` +
          'The kubelet retries within about 2 minutes.',
        [],
      ),
      elsewhere,
    ];
  return [
    steps(
      `If the volume is a plain directory, create ${path} on ${node}. ` +
        'If it is a disk, mount the disk there first: an empty directory in its place would take the data of the ' +
        'pod. The kubelet retries within about 2 minutes.',
      [onNode(node, `mkdir -p ${shellWord(path)}`)],
    ),
    elsewhere,
  ];
}
