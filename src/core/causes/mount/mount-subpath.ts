import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { containerTroubleOf } from '../../journey/pod-mount.ts';
import type { ContainerTrouble } from '../../journey/pod-mount.ts';
import type { Container } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { podWords, volumeWords } from './told-volume.ts';

type VolumeMount = NonNullable<Container['volumeMounts']>[number];

/** The volume is mounted, but the directory within it cannot be prepared (pkg/kubelet/kubelet_pods.go makeMounts). */
export const mountSubpath = podRule({
  cause: 'mount-subpath',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const trouble = containerTroubleOf(p.pod);
    if (trouble?.volume !== 'subPath') return undefined;
    const told = volumeInMessage(trouble.message);
    const mount = findSubPathMount(p, trouble, told);
    const use = volumeUsesOf(p).find(({ name, volumeName }) => name === (mount?.name ?? told) || volumeName === told);
    return {
      summary: `${volumeWords(use, { volume: told })} is mounted, but container ${trouble.container} of ${podWords(p)} wants subPath ${pathOf(mount) || 'of it'}, and ${describeReason(trouble.message)}`,
      evidence: evidenceOf(p, trouble, mount),
      fix: adviceFor(p, trouble, mount),
    };
  },
});

function volumeInMessage(message: string): string | undefined {
  return /volumeMount "([^"]+)"/.exec(message)?.[1] ?? /volume-subpaths?\/([^/\s"]+)\//.exec(message)?.[1];
}

/** The mount that the message names, or the first with a subPath. */
function findSubPathMount(
  { pod }: PodCase,
  trouble: ContainerTrouble,
  told: string | undefined,
): VolumeMount | undefined {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const mounts = (containers.find(({ name }) => name === trouble.container)?.volumeMounts ?? []).filter(
    (mount) => mount.subPath || mount.subPathExpr,
  );
  return mounts.find(({ name }) => name === told) ?? mounts[0];
}

function pathOf(mount: VolumeMount | undefined): string {
  return mount?.subPath ?? mount?.subPathExpr ?? '';
}

/** The first that fits counts. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/read-only file system/i, 'the volume is read-only, so the directory cannot be made'],
  [/not a directory/i, 'it is a file where a directory belongs, or the reverse'],
  [/no such file/i, 'it does not exist'],
  [/symlink|backsteps|not allowed|outside/i, 'it leads out of the volume'],
  [/permission denied|not permitted/i, 'the kubelet may not make it there'],
];

function describeReason(message: string): string {
  return reasons.find(([pattern]) => pattern.test(message))?.[1] ?? 'it cannot be prepared';
}

function evidenceOf(
  { pod }: PodCase,
  { container, path, message }: ContainerTrouble,
  mount: VolumeMount | undefined,
): Explanation['evidence'] {
  const mountPath = `spec.containers[${container}].volumeMounts[${mount?.name ?? ''}].subPath`;
  return [field(pod, `${path}.message`, message), ...(mount ? [field(pod, mountPath, pathOf(mount))] : [])];
}

function adviceFor({ pod }: PodCase, { message }: ContainerTrouble, mount: VolumeMount | undefined): Fix[] {
  const create = fix(
    "make the directory in the volume, or correct the subPath in the pod's template",
    `kubectl ${inNamespace(pod.metadata.namespace)}get pod ${shellWord(pod.metadata.name)} -o jsonpath='{.spec.containers[*].volumeMounts}'`,
  );
  if (!mount?.readOnly && !/read-only/i.test(message)) return [create];
  return [
    create,
    fix('a read-only volume needs the directory beforehand: mount it once with write access and make it there'),
  ];
}
