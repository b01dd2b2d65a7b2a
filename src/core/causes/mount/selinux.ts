import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import { nodeOf } from './told-volume.ts';

/** The SELinux labels under which the containers of a pod mount one of its volumes; none where none is set. */
export function labelsOf(pod: Pod, volume: string): string[] {
  return allLabelsOf(pod, volume).filter((label) => label !== '');
}

/**
 * The same, with an empty label for a container without one: the kubelet compares that, too
 * (desired_state_of_world.go).
 */
function allLabelsOf(pod: Pod, volume: string): string[] {
  const containers = (pod.spec?.containers ?? []).filter(({ volumeMounts }) =>
    volumeMounts?.some(({ name }) => name === volume),
  );
  return [...new Set(containers.map(({ name }) => labelOf(pod, name)))];
}

/**
 * The one label with which the kubelet mounts a volume for a pod: empty where no container sets one, or files are
 * relabelled.
 */
export function mountLabelOf(pod: Pod, volume: string): string {
  if (isRelabelled(pod)) return '';
  return labelsOf(pod, volume)[0] ?? '';
}

export function isRelabelled({ spec }: Pod): boolean {
  return spec?.securityContext?.seLinuxChangePolicy === 'Recursive';
}

/** How a label is called in a sentence. */
export function labelWords(label: string): string {
  return label === '' ? 'no SELinux label' : `SELinux label ${label}`;
}

/** The label of a container: its own settings override those of the pod. A privileged container has none (KEP-1710). */
function labelOf(pod: Pod, container: string | undefined): string {
  const { seLinuxOptions: own, privileged } =
    (pod.spec?.containers ?? []).find(({ name }) => name === container)?.securityContext ?? {};
  if (privileged === true) return '';
  const { user = '', role = '', type = '', level = '' } = { ...pod.spec?.securityContext?.seLinuxOptions, ...own };
  return [user, role, type, level].filter(Boolean).join(':');
}

/**
 * The volumes that the kubelet mounts with a label (`mount -o context`): such a volume can have only one label on a
 * node.
 */
export function labelledVolumes(p: PodCase): VolumeUse[] {
  return comparedVolumes(p).filter(({ name }) => labelsOf(p.pod, name).length > 0);
}

/** The volumes whose label the kubelet compares with that of other pods, whether this pod sets one or not. */
export function comparedVolumes(p: PodCase): VolumeUse[] {
  return isRelabelled(p.pod) ? [] : volumeUsesOf(p).filter((use) => isMountedWithLabel(p, use));
}

function isMountedWithLabel(p: PodCase, use: VolumeUse): boolean {
  const { driver } = use;
  if (!use.volumeObject?.spec?.csi || driver === undefined) return false;
  return mountsWithLabels(p.ask, driver) && isLabelledByKubelet(p, use.volumeObject.spec.accessModes ?? []);
}

export function mountsWithLabels(ask: Inquiry, driver: string): boolean {
  const object = ask.get('CSIDriver', undefined, driver, `whether ${driver} mounts with SELinux labels`);
  return object.state === 'found' && object.object.spec?.seLinuxMount === true;
}

/** ReadWriteOncePod volumes are mounted with a label since 1.28, all others since 1.37 (KEP-1710). */
function isLabelledByKubelet(p: PodCase, modes: readonly string[]): boolean {
  const node = p.ask.get('Node', undefined, nodeOf(p), `which version the kubelet on ${nodeOf(p)} has`);
  const version = node.state === 'found' ? parseServerVersion(node.object.status?.nodeInfo?.kubeletVersion) : undefined;
  const isOncePod = modes.length === 1 && modes[0] === 'ReadWriteOncePod';
  return isOncePod ? atLeast(version, 1, 28) !== false : atLeast(version, 1, 37) === true;
}

/** Gives the pod the SELinux options of the pod with which it shares the mount. */
export function sameLabelFix({ pod }: PodCase, seLinuxOptions: object): Fix {
  return {
    ...changePodFix(
      pod,
      { securityContext: { seLinuxOptions } },
      (where) =>
        `Set the SELinux options of the other pod ${where}, so that both share the mount; or run the two on different nodes.`,
    ),
    risk: 'disruptive',
  };
}

/** Gives all containers that mount the volume the options of the first of them. */
export function uniteLabelsFix({ pod }: PodCase, use: VolumeUse | undefined): Fix {
  const containers = (pod.spec?.containers ?? []).filter(({ volumeMounts = [] }) =>
    volumeMounts.some(({ name }) => use === undefined || name === use.name),
  );
  const seLinuxOptions =
    containers.find(({ securityContext }) => securityContext?.seLinuxOptions)?.securityContext?.seLinuxOptions ?? {};
  return changePodFix(
    pod,
    { containers: containers.map(({ name }) => ({ name, securityContext: { seLinuxOptions } })) },
    (where) => `Set the same seLinuxOptions for all containers that mount the volume ${where}.`,
  );
}

/** The kubelet then relabels the files instead of mounting with a label (KEP-1710, field from 1.33). */
export function recursiveFix({ pod }: PodCase): Fix {
  return changePodFix(
    pod,
    { securityContext: { seLinuxChangePolicy: 'Recursive' } },
    (where) =>
      `From 1.33 on: set seLinuxChangePolicy: Recursive ${where}. ` +
      'The runtime then relabels the files, which is slow on large volumes. ' +
      'Every pod that shares the volume needs it.',
  );
}
