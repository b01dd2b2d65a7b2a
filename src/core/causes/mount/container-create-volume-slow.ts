import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { containerTroubleOf } from '../../journey/pod-mount.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { podWords, volumeWords } from './told-volume.ts';

/** The runtime relabels or chowns every file of a mounted volume before the container exists, and runs out of time. */
export const containerCreateVolumeSlow = podRule({
  cause: 'container-create-volume-slow',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const trouble = containerTroubleOf(p.pod);
    if (trouble?.volume !== 'slow') return undefined;
    const containers = [...(p.pod.spec?.initContainers ?? []), ...(p.pod.spec?.containers ?? [])];
    const mounts = containers.find(({ name }) => name === trouble.container)?.volumeMounts ?? [];
    const use = volumeUsesOf(p).find(
      ({ name, claim, isInline }) => (claim !== undefined || isInline) && mounts.some((mount) => mount.name === name),
    );
    if (!use) return undefined;
    return {
      confidence: 'likely',
      severity: 'blocking',
      summary: `${volumeWords(use)} is mounted, but the runtime does not get container ${trouble.container} of ${podWords(p)} made in time: on a volume with very many files it relabels each of them (SELinux) first`,
      evidence: [
        field(p.pod, `${trouble.path}.message`, trouble.message),
        ...(use.volumeObject ? [field(use.volumeObject, 'spec.capacity.storage')] : []),
      ],
      fix: [
        fix(
          "keep the runtime from relabelling: seLinuxOptions.type spc_t, a driver with seLinuxMount: true, or the runtime's own setting to relabel only what differs",
          `kubectl ${inNamespace(p.pod.metadata.namespace)}describe pod ${shellWord(p.pod.metadata.name)}`,
        ),
        fix(
          'or raise the timeout of the kubelet for the runtime (runtimeRequestTimeout) on nodes with such volumes',
          undefined,
          'disruptive',
        ),
      ],
    };
  },
});
