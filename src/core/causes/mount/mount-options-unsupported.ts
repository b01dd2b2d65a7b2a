import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';
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
      summary: `${volumeWords(use, failure)} of ${podWords(p)} carries mountOptions, which ${source === undefined ? 'volumes of its kind' : `${source} volumes`} do not take: the kubelet refuses to mount it`,
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

function adviceFor(volume: Volume | undefined): Fix {
  return fix(
    'make the PersistentVolume again without mountOptions (policy Retain first); those of a class go to every new volume',
    volume && `kubectl get pv ${shellWord(volume.metadata.name)} -o jsonpath='{.spec.mountOptions}'`,
    'disruptive',
  );
}
