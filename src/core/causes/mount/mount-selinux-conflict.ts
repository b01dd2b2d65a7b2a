import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes, isTerminated } from '../../facts/pod/pod-state.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { newestMatch } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { recursiveFix, sameLabelFix } from './selinux.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import { comparedVolumes, labelWords, mountLabelOf } from './selinux.ts';
import { nodeOf, podWords, volumeWords } from './told-volume.ts';
import { labelConflictText } from '../lib/driver-error/sentences/kubelet.ts';

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
      summary:
        `${podWords(p)} needs ${volumeWords(use)} with ${labelWords(label)}, and pod/${other.metadata.name} on ` +
        `the same node ${nodeOf(p)} has it mounted with ${labelWords(otherLabel)}. A mount has one label only.`,
      evidence: [
        field(p.pod, 'spec.securityContext.seLinuxOptions', label),
        field(other, 'spec.securityContext.seLinuxOptions', otherLabel),
        ...reportEvidence(p),
      ],
      fix: otherLabel === '' ? [recursiveFix(p)] : [sameLabelFix(p, optionsOf(other)), recursiveFix(p)],
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
  for (const use of comparedVolumes(p)) {
    const label = mountLabelOf(p.pod, use.name);
    if (!use.claim) continue;
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

/** A label other than `label` with which the pod mounts the claim; an empty one is another label, too. */
function otherLabelOf(pod: Pod, claimName: string, label: string): string | undefined {
  const volume = (pod.spec?.volumes ?? []).find(
    ({ persistentVolumeClaim, ephemeral, name }) =>
      persistentVolumeClaim?.claimName === claimName ||
      (ephemeral !== undefined && `${pod.metadata.name}-${name ?? ''}` === claimName),
  );
  if (volume?.name === undefined) return undefined;
  const mounted = mountLabelOf(pod, volume.name);
  return mounted === label ? undefined : mounted;
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
  const labels = labelConflictText.exec(failure.text);
  return {
    confidence: 'likely',
    summary:
      `A volume of ${podWords(p)} is already mounted on ${nodeOf(p)} with another SELinux ` +
      `label${labels ? ` (${labelWords(labels[1] ?? '')} and ${labelWords(labels[2] ?? '')})` : ''}. ` +
      'A mount has one label only.',
    evidence: [eventSaid(p.pod, failure.event)],
    fix: [recursiveFix(p)],
  };
}

/** The options of the other pod: with the same ones both can share the mount. */
function optionsOf({ spec }: Pod): object {
  return spec?.securityContext?.seLinuxOptions ?? spec?.containers?.[0]?.securityContext?.seLinuxOptions ?? {};
}
