import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { containerTroubleOf } from '../../journey/pod-mount.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { podWords, volumeWords } from './told-volume.ts';

/** The volume is mounted, but the directory within it is not to be had (pkg/kubelet/kubelet_pods.go makeMounts). */
export const mountSubpath = podRule({
  cause: 'mount-subpath',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const trouble = containerTroubleOf(p.pod);
    if (trouble?.volume !== 'subPath') return undefined;
    const { message } = trouble;
    const told = /volumeMount "([^"]+)"/.exec(message)?.[1] ?? /volume-subpaths?\/([^/\s"]+)\//.exec(message)?.[1];
    const containers = [...(p.pod.spec?.initContainers ?? []), ...(p.pod.spec?.containers ?? [])];
    const mounts =
      containers
        .find(({ name }) => name === trouble.container)
        ?.volumeMounts?.filter((mount) => mount.subPath || mount.subPathExpr) ?? [];
    const mount = mounts.find(({ name }) => name === told) ?? mounts[0];
    const path = mount?.subPath ?? mount?.subPathExpr ?? '';
    const use = volumeUsesOf(p).find(({ name, volumeName }) => name === (mount?.name ?? told) || volumeName === told);
    const why = /read-only file system/i.test(message)
      ? 'the volume is read-only, so the directory cannot be made'
      : /not a directory/i.test(message)
        ? 'it is a file where a directory belongs, or the reverse'
        : /no such file/i.test(message)
          ? 'it does not exist'
          : /symlink|backsteps|not allowed|outside/i.test(message)
            ? 'it leads out of the volume'
            : /permission denied|not permitted/i.test(message)
              ? 'the kubelet may not make it there'
              : 'it cannot be prepared';
    return {
      summary: `${volumeWords(use, { volume: told })} is mounted, but container ${trouble.container} of ${podWords(p)} wants subPath ${path || 'of it'}, and ${why}`,
      evidence: [
        field(p.pod, `${trouble.path}.message`, message),
        ...(mount
          ? [field(p.pod, `spec.containers[${trouble.container}].volumeMounts[${mount.name ?? ''}].subPath`, path)]
          : []),
      ],
      fix: [
        fix(
          "make the directory in the volume, or correct the subPath in the pod's template",
          `kubectl ${inNamespace(p.pod.metadata.namespace)}get pod ${shellWord(p.pod.metadata.name)} -o jsonpath='{.spec.containers[*].volumeMounts}'`,
        ),
        ...(mount?.readOnly || /read-only/i.test(message)
          ? [
              fix(
                'a read-only volume needs the directory beforehand: mount it once with write access and make it there',
              ),
            ]
          : []),
      ],
    };
  },
});
