import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import type { ContainerTrouble } from '../../journey/container-trouble.ts';
import type { Fix } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { podWords, sentenceStart, volumeWords } from './told-volume.ts';

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
      summary:
        `${sentenceStart(volumeWords(use))} is mounted, but the container runtime does not create container ` +
        `${trouble.container} of ${podWords(p)} in time. ` +
        'On a volume with very many files it relabels each of them for SELinux first (likely).',
      evidence: evidenceOf(p, trouble, use),
      fix: adviceFor(p, use),
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
  { messagePath, message }: ContainerTrouble,
  { volumeObject }: VolumeUse,
): Explanation['evidence'] {
  return [field(pod, messagePath, message), ...(volumeObject ? [field(volumeObject, 'spec.capacity.storage')] : [])];
}

function adviceFor({ pod }: PodCase, { driver }: VolumeUse): Fix[] {
  const exempt = changePodFix(
    pod,
    { securityContext: { seLinuxOptions: { type: 'spc_t' } } },
    (where) =>
      `If your security team agrees, set the SELinux type spc_t ${where}: its files need no relabelling. ` +
      'It weakens the isolation of the pod.',
  );
  if (driver === undefined) return [exempt];
  return [
    { ...exempt, risk: 'disruptive' },
    steps(
      `If ${driver} supports it, let the kubelet mount with one SELinux label instead of relabelling, and give ` +
        'all pods of the volume the same seLinuxOptions.level (ReadWriteOncePod from 1.28, other ' +
        'access modes from 1.37).',
      [patchCommand({ kind: 'CSIDriver', metadata: { name: driver } }, { spec: { seLinuxMount: true } })],
      'disruptive',
    ),
  ];
}
