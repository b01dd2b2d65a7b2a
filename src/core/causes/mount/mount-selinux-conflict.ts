import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes, isTerminated } from '../../facts/pod/pod-state.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { newestMatch } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import { labelledVolumes, labelsOf } from './selinux.ts';
import { nodeOf, podWords, volumeWords } from './told-volume.ts';

/** Another pod on the node has the volume mounted with another label, and a mount can have only one (KEP-1710). */
export const mountSelinuxConflict = podRule({
  cause: 'mount-selinux-conflict',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const conflict = findConflict(p);
    if (!conflict) return explainReported(p);
    const { use, label, other, otherLabel } = conflict;
    return {
      confidence: 'likely',
      summary: `${podWords(p)} wants ${volumeWords(use)} with SELinux label ${label}, but pod/${other.metadata.name} on the same node ${nodeOf(p)} has it mounted with ${otherLabel}`,
      evidence: [
        field(p.pod, 'spec.securityContext.seLinuxOptions', label),
        field(other, 'spec.securityContext.seLinuxOptions', otherLabel),
        ...reportEvidence(p),
      ],
      fix: advice,
    };
  },
});

interface Conflict {
  readonly use: VolumeUse;
  readonly label: string;
  readonly other: Pod;
  readonly otherLabel: string;
}

function findConflict(p: PodCase): Conflict | undefined {
  for (const use of labelledVolumes(p)) {
    const [label] = labelsOf(p.pod, use.name);
    if (!use.claim || label === undefined) continue;
    for (const other of p.ask.podsUsing(use.claim).items) {
      const otherLabel = isMountedBeside(p, other) ? otherLabelOf(other, use.claim.name, label) : undefined;
      if (otherLabel !== undefined) return { use, label, other, otherLabel };
    }
  }
  return undefined;
}

function isMountedBeside(p: PodCase, other: Pod): boolean {
  return (
    other.metadata.uid !== p.pod.metadata.uid &&
    other.spec?.nodeName === nodeOf(p) &&
    !isTerminated(other) &&
    hasMountedVolumes(other)
  );
}

/** A label other than `label` with which the pod mounts the claim. */
function otherLabelOf(pod: Pod, claimName: string, label: string): string | undefined {
  const volume = (pod.spec?.volumes ?? []).find(
    ({ persistentVolumeClaim, ephemeral, name }) =>
      persistentVolumeClaim?.claimName === claimName ||
      (ephemeral !== undefined && `${pod.metadata.name}-${name ?? ''}` === claimName),
  );
  return volume?.name === undefined ? undefined : labelsOf(pod, volume.name).find((other) => other !== label);
}

function reportEvidence(p: PodCase): Evidence[] {
  const event =
    failureOf(p, 'selinuxConflict')?.event ??
    newestMatch(p.events.items, ['SELinuxLabelConflict', 'SELinuxChangePolicyConflict'], /^/)?.event;
  return event ? [eventSaid(p.pod, event)] : [];
}

/** The other pod cannot be seen: only the kubelet's failure proves the conflict. */
function explainReported(p: PodCase): Explanation | undefined {
  const failure = failureOf(p, 'selinuxConflict');
  if (!failure) return undefined;
  const labels = /conflicting SELinux labels of volume \S+ "?([^"]*)"? and "?([^"]*)"?/.exec(failure.text);
  return {
    confidence: 'likely',
    summary: `a volume of ${podWords(p)} is already mounted on ${nodeOf(p)} with another SELinux label${labels ? ` (${labels[1] ?? ''} and ${labels[2] ?? ''})` : ''}, and a volume can have only one`,
    evidence: [eventSaid(p.pod, failure.event)],
    fix: advice,
  };
}

const advice: readonly Fix[] = [
  fix('run both pods with the same seLinuxOptions.level, or on different nodes', undefined, 'disruptive'),
  fix(
    'or set securityContext.seLinuxChangePolicy: Recursive in both templates (1.33 and later)',
    undefined,
    'disruptive',
  ),
];
