import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { containerTroubleOf } from '../../journey/pod-mount.ts';
import type { ContainerTrouble } from '../../journey/pod-mount.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { podWords, volumeWords } from './told-volume.ts';

/** The runtime relabels every file of a mounted volume before it creates the container, and runs out of time. */
export const containerCreateVolumeSlow = podRule({
  cause: 'container-create-volume-slow',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const trouble = containerTroubleOf(p.pod);
    if (trouble?.volume !== 'slow') return undefined;
    const use = findMountedVolume(p, trouble.container);
    if (!use) return undefined;
    return {
      confidence: 'likely',
      severity: 'blocking',
      summary: `${volumeWords(use)} is mounted, but the runtime does not get container ${trouble.container} of ${podWords(p)} made in time: on a volume with very many files it relabels each of them (SELinux) first`,
      evidence: evidenceOf(p, trouble, use),
      fix: adviceFor(p),
    };
  },
});

/** The first volume of the container that can hold many files: one of a claim, or an inline CSI volume. */
function findMountedVolume(p: PodCase, container: string): VolumeUse | undefined {
  const containers = [...(p.pod.spec?.initContainers ?? []), ...(p.pod.spec?.containers ?? [])];
  const mounts = containers.find(({ name }) => name === container)?.volumeMounts ?? [];
  return volumeUsesOf(p).find(
    ({ name, claim, isInline }) => (claim !== undefined || isInline) && mounts.some((mount) => mount.name === name),
  );
}

function evidenceOf(
  { pod }: PodCase,
  { path, message }: ContainerTrouble,
  { volumeObject }: VolumeUse,
): Explanation['evidence'] {
  return [
    field(pod, `${path}.message`, message),
    ...(volumeObject ? [field(volumeObject, 'spec.capacity.storage')] : []),
  ];
}

function adviceFor({ pod: { metadata } }: PodCase): Fix[] {
  return [
    fix(
      "keep the runtime from relabelling: seLinuxOptions.type spc_t, a driver with seLinuxMount: true, or the runtime's own setting to relabel only what differs",
      `kubectl ${inNamespace(metadata.namespace)}describe pod ${shellWord(metadata.name)}`,
    ),
    fix(
      'or raise the timeout of the kubelet for the runtime (runtimeRequestTimeout) on nodes with such volumes',
      undefined,
      'disruptive',
    ),
  ];
}
