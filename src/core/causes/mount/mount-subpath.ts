import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import type { ContainerTrouble } from '../../journey/container-trouble.ts';
import type { Container } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { makeDirectoryCommand } from './subpath-directory.ts';
import { podWords, sentenceStart, volumeWords } from './told-volume.ts';
import {
  leavesVolumeTexts,
  namedMountText,
  notCreatedTexts,
  readOnlyWord,
  serverRefusesTexts,
  subPathDirectoryText,
} from '../lib/driver-error/sentences/sub-path.ts';
import { noSuchFileText, notDirectoryText, readOnlyFileSystemText } from '../lib/driver-error/senses/file-system.ts';

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
      summary:
        `${sentenceStart(volumeWords(use, { volume: told }))} is mounted, but container ${trouble.container} of ` +
        `${podWords(p)} needs subPath ${pathOf(mount) ? `"${pathOf(mount)}"` : 'in it'}, and ` +
        `${describeReason(trouble.message)}.`,
      evidence: evidenceOf(p, trouble, mount),
      fix: adviceFor(p, trouble, mount, use),
    };
  },
});

function volumeInMessage(message: string): string | undefined {
  return namedMountText.exec(message)?.[1] ?? subPathDirectoryText.exec(message)?.[1];
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
  [readOnlyFileSystemText, 'the volume is read-only, so the directory cannot be created'],
  [notDirectoryText, 'one of the two is a file and the other a directory'],
  [noSuchFileText, 'it does not exist'],
  [leavesVolumeTexts, 'it leads out of the volume'],
  [notCreatedTexts, 'the kubelet may not create it there'],
];

function describeReason(message: string): string {
  return reasons.find(([pattern]) => pattern.test(message))?.[1] ?? 'it cannot be prepared';
}

function evidenceOf(
  { pod }: PodCase,
  { container, messagePath, message }: ContainerTrouble,
  mount: VolumeMount | undefined,
): Explanation['evidence'] {
  const mountPath = `spec.containers[${container}].volumeMounts[${mount?.name ?? ''}].subPath`;
  return [field(pod, messagePath, message), ...(mount ? [field(pod, mountPath, pathOf(mount))] : [])];
}

function adviceFor(
  p: PodCase,
  { container, message }: ContainerTrouble,
  mount: VolumeMount | undefined,
  use: VolumeUse | undefined,
): Fix[] {
  const { pod } = p;
  const path = pathOf(mount);
  const claimName = use?.claim?.name;
  const correct = changePodFix(
    pod,
    containerChange(pod, container, {
      volumeMounts: [{ name: mount?.name, mountPath: mount?.mountPath, subPath: 'PLACEHOLDER_SUBPATH' }],
    }),
    (where) =>
      `Correct the subPath of container ${container} ${where}. PLACEHOLDER_SUBPATH is the path in the volume that it should use.`,
  );
  const isLeadingOut = leavesVolumeTexts.test(message);
  const isWrongType = notDirectoryText.test(message);
  if (path === '' || claimName === undefined || isLeadingOut || isWrongType || mount?.mountPath === undefined)
    return mount?.mountPath === undefined
      ? [steps('Correct the subPath of the container where the pod is defined.', [])]
      : [correct];
  const isReadOnly = readOnlyWord.test(message);
  if (serverRefusesTexts.test(message) && isOnFileServer(use))
    return [serverFix(path, claimName), { ...correct, text: `Otherwise c${correct.text.slice(1)}` }];
  return [
    steps(
      `Create the directory "${path}" in the volume of ` +
        `pvc/${claimName}${isReadOnly ? ', mounted with write access this once' : ''}. ` +
        'The container then starts automatically. ' +
        'If the command reports "Not a directory", a file is in the way: use another subPath.',
      [makeDirectoryCommand(pod, claimName, path)],
    ),
    { ...correct, text: `Otherwise c${correct.text.slice(1)}` },
  ];
}

function containerChange(pod: PodCase['pod'], name: string, change: object): object {
  const isInit = (pod.spec?.initContainers ?? []).some((container) => container.name === name);
  return { [isInit ? 'initContainers' : 'containers']: [{ name, ...change }] };
}

/** A file server may refuse root, as which the kubelet and a pod with busybox would create the directory. */
function isOnFileServer(use: VolumeUse | undefined): boolean {
  const { csi, nfs } = use?.volumeObject?.spec ?? {};
  return nfs !== undefined || /nfs|efs|smb|file\.csi|filestore|manila/.test(csi?.driver ?? '') || csi?.fsType === 'nfs';
}

function serverFix(path: string, claimName: string): Fix {
  return steps(
    `Create the directory "${path}" of pvc/${claimName} on the file server, with the owner that the ` +
      'application runs as: the kubelet creates it as root, and the server refuses root where its export has ' +
      'root_squash, or all writing where it is exported read-only. ' +
      'Or have the export allow root (no_root_squash). The container then starts automatically.',
    [],
  );
}
