import { eventSaid, field } from '../../facts/evidence.ts';
import { atLeast } from '../../kube/version.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { podWords } from './told-volume.ts';
import { kubeletVersion, patienceSeconds, versionEvidence } from './kubelet-plugin.ts';
import { findVolumeFailure, waitingVolumes } from './waiting-volumes.ts';
import type { WaitingVolume } from './waiting-volumes.ts';
import { gitRepoOffText } from '../lib/driver-error/sentences/kubelet.ts';

/** The plugin is off by default from 1.33 on, and cannot be turned on from 1.36 on (pkg/volume/git_repo). */
export const gitrepoDisabled = podRule({
  cause: 'gitrepo-disabled',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const volume = waitingVolumes(p).find((candidate) => gitRepoOf(candidate) !== undefined);
    if (!volume) return undefined;
    const failure = findVolumeFailure(p, gitRepoOffText);
    const version = kubeletVersion(p);
    const isGone = atLeast(version, 1, 36) === true;
    const isOffByDefault = atLeast(version, 1, 33) === true && p.ageSeconds >= patienceSeconds;
    if (!failure && !isGone && !isOffByDefault) return undefined;
    return {
      confidence: isGone ? 'certain' : 'likely',
      summary:
        `Volume "${volume.name}" of ${podWords(p)} is a gitRepo volume, which ` +
        `${
          isGone
            ? 'kubelets from 1.36 on no longer mount: no feature gate turns it on again'
            : 'kubelets from 1.33 on do not mount unless the feature gate GitRepoVolumeDriver is on (1.35 is the ' +
              'last version that has it)'
        }.`,
      evidence: [
        field(p.pod, `${volume.path}.gitRepo`, JSON.stringify(gitRepoOf(volume))),
        ...versionEvidence(p, version),
        ...(failure ? [eventSaid(p.pod, failure.event)] : []),
      ],
      fix: [
        changePodFix(
          p.pod,
          {
            initContainers: [
              {
                name: 'clone',
                image: 'PLACEHOLDER_GIT_IMAGE',
                command: ['git', 'clone', repositoryOf(volume), `/clone`],
                volumeMounts: [{ name: volume.name, mountPath: '/clone' }],
              },
            ],
            volumes: [{ name: volume.name, gitRepo: null, emptyDir: {} }],
          },
          (where) =>
            `Let an init container clone the repository into an emptyDir volume ${where}. PLACEHOLDER_GIT_IMAGE is an image with git.`,
        ),
      ],
    };
  },
});

function repositoryOf(volume: WaitingVolume): string {
  const { repository } = (gitRepoOf(volume) ?? {}) as { readonly repository?: string };
  return repository ?? 'PLACEHOLDER_REPOSITORY';
}

function gitRepoOf({ source }: WaitingVolume): object | undefined {
  return 'gitRepo' in source ? source.gitRepo : undefined;
}
