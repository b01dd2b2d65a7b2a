import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import { retryWords } from './sense-fixes.ts';
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
      summary: `${sentenceStart(volumeWords(use, failure))} has mountOptions, which ${source === undefined ? 'volumes of its kind' : `${source} volumes`} do not support. The kubelet refuses to mount it for ${podWords(p)}.`,
      evidence: [first, ...rest],
      fix: [adviceFor(volume)],
    };
  },
});

function findVolumeWithOptions(p: PodCase): VolumeUse | undefined {
  return volumeUsesOf(p).find(
    (use) => (use.volumeObject?.spec?.mountOptions ?? []).length > 0 && withoutOptions.includes(sourceOf(use) ?? ''),
  );
}

/** Unlike its source, the mountOptions of a volume can be changed (ValidatePersistentVolumeUpdate). */
function adviceFor(volume: Volume | undefined): Fix {
  if (!volume)
    return steps('Correct the PersistentVolume: remove its mountOptions, which can be changed in place.', []);
  return steps(
    `Remove mountOptions from pv/${volume.metadata.name}; they can be changed in place. ${retryWords} If the volume has them from a StorageClass, remove them there too, for new volumes.`,
    [patchCommand(volume, { spec: { mountOptions: null } })],
  );
}
