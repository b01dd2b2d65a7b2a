import { fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { hostPathTypeFailed, localOf, pathEvidence } from './path-on-node.ts';
import { nodeOf } from './told-volume.ts';
import { findVolumeFailure } from './waiting-volumes.ts';
import type { VolumeFailure } from './waiting-volumes.ts';

const pathMissing =
  /(?:MountVolume|MapVolume)\.(?:NewMounter initialization|NewMapper initialization|SetUp|MountDevice|SetUpDevice|MapBlockVolume|EvalHostSymlinks)[^]*?failed[^]*?(?:path ["']?([^"'\s]+)["']? does not exist|(only directory and block device are supported)|(invalid path)|lstat (\S+): no such file or directory)/;

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
      summary: `${path}, which ${failure.volume?.label ?? `a volume of pod/${p.pod.metadata.name}`} stands for, ${describeReason(failure)} on ${nodeOf(p)}`,
      evidence: pathEvidence(p, failure, localOf(failure.volume) ? 'local' : 'hostPath'),
      fix: adviceFor(nodeOf(p), path),
    };
  },
});

/** Drivers report missing paths too, but this is about a path of the node; hostpath-type-check says more where it applies. */
function findMissingPath(p: PodCase): VolumeFailure | undefined {
  const failure = findVolumeFailure(p, pathMissing);
  if (!failure) return undefined;
  const { volume, match } = failure;
  const isOfNode = volume === undefined || localOf(volume) !== undefined || volume.source.hostPath !== undefined;
  return isOfNode && !/rpc error/.test(match.input) && !hostPathTypeFailed.test(match.input) ? failure : undefined;
}

function pathOf({ match, volume }: VolumeFailure): string {
  return match[1] ?? match[4] ?? localOf(volume)?.path ?? volume?.source.hostPath?.path ?? 'its path';
}

function describeReason({ match }: VolumeFailure): string {
  if (match[2] !== undefined) return 'is neither a directory nor a block device';
  return match[3] ? 'is not a path that may be used' : 'does not exist';
}

function adviceFor(node: string, path: string): Fix[] {
  return [
    fix(
      `on ${node}: mount the disk there, or make the directory if it is no more than that; an empty directory in place of a disk that is not mounted would take the data of the pod`,
      `kubectl debug node/${node} -it --image=busybox -- ls -la /host${path.startsWith('/') ? path : ''}`,
    ),
    fix(
      'if the volume belongs to another node, correct its nodeAffinity: the volume has to be made again for that',
      undefined,
      'disruptive',
    ),
  ];
}
