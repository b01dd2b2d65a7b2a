import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { newestMatch } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import type { Evidence } from '../../report/report.ts';
import { claimRule } from '../lib/rule.ts';
import { isRelabelled, labelWords, mountLabelOf, mountsWithLabels, recursiveFix, sameLabelFix } from './selinux.ts';

/**
 * Two pods share a volume with different SELinux labels. Kubelets before 1.37 relabel every file and let the last pod
 * win; from 1.37 on they mount with a label, and the second pod on a node does not start (KEP-1710, SELinuxMount).
 */
export const selinuxUpgradeConflict = claimRule({
  cause: 'selinux-upgrade-conflict',
  stage: 'mount',
  severity: 'warning',
  explain(c) {
    const [first, second] = findPair(c);
    if (!first || !second || !isDriverWithLabels(c) || !runsBefore137(c, [first.pod, second.pod])) return undefined;
    const fixed = new PodCase(c.ask, second.pod);
    const options = first.pod.spec?.securityContext?.seLinuxOptions;
    return {
      confidence: 'likely',
      summary:
        `pod/${first.pod.metadata.name} and pod/${second.pod.metadata.name} share pvc/${c.name} in namespace ` +
        `${c.namespace} with ${labelWords(first.label)} and ${labelWords(second.label)}. ` +
        'From Kubernetes 1.37 on, the second of them does not start on a node with SELinux that ' +
        'already runs the other.',
      evidence: [
        field(first.pod, 'spec.securityContext.seLinuxOptions', first.label),
        field(second.pod, 'spec.securityContext.seLinuxOptions', second.label),
        ...controllerEvidence(c, [first.pod, second.pod]),
      ],
      fix: [recursiveFix(fixed), ...(first.label !== '' && options ? [sameLabelFix(fixed, options)] : [])],
    };
  },
});

interface LabelledPod {
  readonly pod: Pod;
  readonly label: string;
}

/** A pod that lets the runtime relabel its files has no label of its own mount, but then neither may the other. */
function findPair(c: PresentClaim): readonly [LabelledPod?, LabelledPod?] {
  const modes = c.claim.spec?.accessModes ?? [];
  if (!c.isBound || (modes.length === 1 && modes[0] === 'ReadWriteOncePod')) return [];
  const labelled = c.consumers.items
    .filter((pod) => !isRelabelled(pod))
    .flatMap((pod): LabelledPod[] => {
      const volume = pod.spec?.volumes?.find(
        ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === c.name,
      );
      return volume?.name === undefined ? [] : [{ pod, label: mountLabelOf(pod, volume.name) }];
    });
  const [first] = labelled.filter(({ label }) => label !== '');
  const second = first && labelled.find(({ label }) => label !== first.label);
  return second ? [first, second] : [];
}

function isDriverWithLabels(c: PresentClaim): boolean {
  const driver = c.volume?.state === 'found' ? servingDriver(c.volume.object) : undefined;
  return driver !== undefined && mountsWithLabels(c.ask, driver);
}

function runsBefore137({ ask }: PresentClaim, pods: readonly Pod[]): boolean {
  return pods.every(({ spec }) => {
    const name = spec?.nodeName;
    if (name === undefined) return true;
    const node = ask.get('Node', undefined, name, `which version the kubelet on ${name} has`);
    if (node.state !== 'found') return false;
    return atLeast(parseServerVersion(node.object.status?.nodeInfo?.kubeletVersion), 1, 37) === false;
  });
}

/** The selinux-warning-controller reports the same, where it is switched on. */
function controllerEvidence({ ask }: PresentClaim, pods: readonly Pod[]): Evidence[] {
  for (const pod of pods) {
    const match = newestMatch(
      ask.graph.eventsAbout(pod.metadata.uid ?? ''),
      ['SELinuxLabelConflict', 'SELinuxChangePolicyConflict'],
      /^/,
    );
    if (match) return [eventSaid(pod, match.event)];
  }
  return [];
}
