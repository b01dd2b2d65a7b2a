import type { Pod } from '../../kube/kinds.ts';
import { newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes, isTerminated } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, volumeWords } from './told-volume.ts';

/** The label that a container gets: its own settings over those of the pod. */
function labelOf(pod: Pod, container: string | undefined): string {
  const own = (pod.spec?.containers ?? []).find(({ name }) => name === container)?.securityContext?.seLinuxOptions;
  const { user = '', role = '', type = '', level = '' } = { ...pod.spec?.securityContext?.seLinuxOptions, ...own };
  return [user, role, type, level].filter(Boolean).join(':');
}

/** The labels under which the containers of a pod mount one of its volumes; none where none is set. */
function labelsOf(pod: Pod, volume: string): string[] {
  const containers = (pod.spec?.containers ?? []).filter(({ volumeMounts }) =>
    volumeMounts?.some(({ name }) => name === volume),
  );
  return [...new Set(containers.map(({ name }) => labelOf(pod, name)))].filter((label) => label !== '');
}

/**
 * A volume that is mounted with a label (`mount -o context`) can have only one on a node: of ReadWriteOncePod volumes
 * since 1.28, of all since 1.37, where the driver says seLinuxMount and the pod does not ask for Recursive.
 */
function labelledVolumes(p: PodCase): VolumeUse[] {
  if (p.pod.spec?.securityContext?.seLinuxChangePolicy === 'Recursive') return [];
  return volumeUsesOf(p).filter((use) => {
    const modes = use.volumeObject?.spec?.accessModes ?? [];
    const { driver } = use;
    if (!use.volumeObject?.spec?.csi || driver === undefined || labelsOf(p.pod, use.name).length === 0) return false;
    const object = p.ask.get('CSIDriver', undefined, driver, `whether ${driver} mounts with SELinux labels`);
    if (object.state !== 'found' || object.object.spec?.seLinuxMount !== true) return false;
    const node = p.ask.get('Node', undefined, nodeOf(p), `which version the kubelet on ${nodeOf(p)} has`);
    const version =
      node.state === 'found' ? parseServerVersion(node.object.status?.nodeInfo?.kubeletVersion) : undefined;
    const isOncePod = modes.length === 1 && modes[0] === 'ReadWriteOncePod';
    return isOncePod ? atLeast(version, 1, 28) !== false : atLeast(version, 1, 37) === true;
  });
}

export const mountSelinuxMultiple = podRule({
  cause: 'mount-selinux-multiple',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'selinuxMultiple');
    const warned = newestMatch(p.events.items, 'MultipleSELinuxLabels', /^/);
    const event = failure?.event ?? warned?.event;
    const use = labelledVolumes(p).find(({ name }) => labelsOf(p.pod, name).length > 1);
    const said = event ? [eventSaid(p.pod, event)] : [];
    const labels = use
      ? field(p.pod, 'spec.containers[].securityContext.seLinuxOptions', labelsOf(p.pod, use.name).join(' and '))
      : undefined;
    const [first, ...rest] = [...(labels ? [labels] : []), ...said];
    if (!first) return undefined;
    return {
      confidence: 'likely',
      summary: `the containers of ${podWords(p)} mount ${use ? volumeWords(use) : 'the same volume'} with different SELinux labels, and a volume can have only one`,
      evidence: [first, ...rest],
      fix: [
        fix('give all containers of the pod the same seLinuxOptions', undefined, 'disruptive'),
        fix(
          "or set securityContext.seLinuxChangePolicy: Recursive in the pod's template (1.33 and later)",
          undefined,
          'disruptive',
        ),
      ],
    };
  },
});

export const mountSelinuxConflict = podRule({
  cause: 'mount-selinux-conflict',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'selinuxConflict');
    const warned = newestMatch(p.events.items, ['SELinuxLabelConflict', 'SELinuxChangePolicyConflict'], /^/);
    const event = failure?.event ?? warned?.event;
    const said = event ? [eventSaid(p.pod, event)] : [];
    const fixes = [
      fix('run both pods with the same seLinuxOptions.level, or on different nodes', undefined, 'disruptive'),
      fix(
        'or set securityContext.seLinuxChangePolicy: Recursive in both templates (1.33 and later)',
        undefined,
        'disruptive',
      ),
    ];
    for (const use of labelledVolumes(p)) {
      const [label] = labelsOf(p.pod, use.name);
      if (!use.claim || label === undefined) continue;
      const { name: claimName } = use.claim;
      const others = p.ask
        .podsUsing(use.claim)
        .items.filter(
          (pod) =>
            pod.metadata.uid !== p.pod.metadata.uid &&
            pod.spec?.nodeName === nodeOf(p) &&
            !isTerminated(pod) &&
            hasMountedVolumes(pod),
        );
      const other = others.find((pod) => otherLabel(pod, claimName, label) !== undefined);
      if (!other) continue;
      return {
        confidence: 'likely',
        summary: `${podWords(p)} wants ${volumeWords(use)} with SELinux label ${label}, but pod/${other.metadata.name} on the same node ${nodeOf(p)} has it mounted with ${otherLabel(other, claimName, label) ?? ''}`,
        evidence: [
          field(p.pod, 'spec.securityContext.seLinuxOptions', label),
          field(other, 'spec.securityContext.seLinuxOptions', otherLabel(other, claimName, label)),
          ...said,
        ],
        fix: fixes,
      };
    }
    const [first] = said;
    if (!first || !failure) return undefined;
    const labels = /conflicting SELinux labels of volume \S+ "?([^"]*)"? and "?([^"]*)"?/.exec(failure.text);
    return {
      confidence: 'likely',
      summary: `a volume of ${podWords(p)} is already mounted on ${nodeOf(p)} with another SELinux label${labels ? ` (${labels[1] ?? ''} and ${labels[2] ?? ''})` : ''}, and a volume can have only one`,
      evidence: [first],
      fix: fixes,
    };
  },
});

function otherLabel(pod: Pod, claimName: string, label: string): string | undefined {
  const volume = (pod.spec?.volumes ?? []).find(
    ({ persistentVolumeClaim, ephemeral, name }) =>
      persistentVolumeClaim?.claimName === claimName ||
      (ephemeral !== undefined && `${pod.metadata.name}-${name ?? ''}` === claimName),
  );
  return volume?.name === undefined ? undefined : labelsOf(pod, volume.name).find((other) => other !== label);
}
