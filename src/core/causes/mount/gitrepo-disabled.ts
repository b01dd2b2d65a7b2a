import { eventSaid, field, fix } from '../../facts/evidence.ts';
import { atLeast } from '../../kube/version.ts';
import { podRule } from '../lib/rule.ts';
import { kubeletVersion, patienceSeconds, versionEvidence } from './kubelet-plugin.ts';
import { findVolumeFailure, waitingVolumes } from './waiting-volumes.ts';
import type { WaitingVolume } from './waiting-volumes.ts';

/** The plugin is off by default from 1.33 on, and cannot be turned on from 1.36 on (pkg/volume/git_repo). */
export const gitrepoDisabled = podRule({
  cause: 'gitrepo-disabled',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const volume = waitingVolumes(p).find((candidate) => gitRepoOf(candidate) !== undefined);
    if (!volume) return undefined;
    const failure = findVolumeFailure(p, /git-?repo volume plugin has been disabled/i);
    const version = kubeletVersion(p);
    const isGone = atLeast(version, 1, 36) === true;
    const isOffByDefault = atLeast(version, 1, 33) === true && p.ageSeconds >= patienceSeconds;
    if (!failure && !isGone && !isOffByDefault) return undefined;
    return {
      confidence: isGone ? 'certain' : 'likely',
      summary: `${volume.label} of pod/${p.pod.metadata.name} is a gitRepo volume, which Kubernetes no longer mounts`,
      evidence: [
        field(p.pod, `${volume.path}.gitRepo`, JSON.stringify(gitRepoOf(volume))),
        ...versionEvidence(p, version),
        ...(failure ? [eventSaid(p.pod, failure.event)] : []),
      ],
      fix: [
        fix('let an init container clone the repository into an emptyDir volume in its place', undefined, 'disruptive'),
      ],
    };
  },
});

function gitRepoOf({ source }: WaitingVolume): object | undefined {
  return 'gitRepo' in source ? source.gitRepo : undefined;
}
