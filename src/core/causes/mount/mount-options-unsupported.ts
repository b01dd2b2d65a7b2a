import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import { keptWords } from './failed-mount.ts';
import { podWords, sentenceStart, toldVolume, volumeWords } from './told-volume.ts';
import { sourceOf } from './volume-source.ts';

/** Plugins whose SupportsMountOption is false (operation_generator.go checkMountOptionSupport). */
const withoutOptions = ['hostPath', 'flexVolume', 'portworxVolume'];

export const mountOptionsUnsupported = podRule({
  cause: 'mount-options-unsupported',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'mountOptions');
    const proven = findVolumeWithOptions(p);
    if (!proven && !failure) return undefined;
    const use = proven ?? (failure && toldVolume(p, failure));
    const volume = use?.volumeObject;
    const [first, ...rest] = [...(volume ? [field(volume, 'spec.mountOptions')] : []), ...failureEvidence(p, failure)];
    if (!first) return undefined;
    const source = sourceOf(use);
    return {
      confidence: proven ? 'certain' : 'likely',
      summary:
        `${sentenceStart(volumeWords(use, failure))} has mountOptions, which ` +
        `${source === undefined ? 'volumes of its kind' : `${source} volumes`} do not support. ` +
        `The kubelet refuses to mount it for ${podWords(p)}.`,
      evidence: [first, ...rest],
      fix: [adviceFor(p, volume)],
    };
  },
});

function findVolumeWithOptions(p: PodCase): VolumeUse | undefined {
  return volumeUsesOf(p).find(
    (use) => (use.volumeObject?.spec?.mountOptions ?? []).length > 0 && withoutOptions.includes(sourceOf(use) ?? ''),
  );
}

/**
 * Unlike its source, the mountOptions of a volume can be changed (ValidatePersistentVolumeUpdate). The kubelet does not
 * read them again for a pod that it knows (desired_state_of_world_populator.go, podPreviouslyProcessed).
 */
function adviceFor(p: PodCase, volume: Volume | undefined): Fix {
  if (!volume)
    return steps('Correct the PersistentVolume: remove its mountOptions, which can be changed in place.', []);
  const restart = restartPodCommands(p.pod);
  if ((volume.spec?.mountOptions ?? []).length === 0)
    return steps(`Recreate the pod. pv/${volume.metadata.name} has no mountOptions now; ${keptWords}.`, restart);
  return steps(
    `Remove mountOptions from pv/${volume.metadata.name}, which can be changed in place, and recreate the ` +
      `pod: ${keptWords}. If the volume has them from a StorageClass, remove them there too, for new volumes.`,
    [patchCommand(volume, { spec: { mountOptions: null } }), ...restart],
  );
}
