import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { driversText } from './csinode.ts';
import { misplacementOf } from './registration-path.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

/** The node plugin runs, but its sockets are where the kubelet does not look (pluginwatcher). */
export const driverRegistrationPathWrong = registrationRule('driver-registration-path-wrong', 'blocking', (r) => {
  const pod = r.unseenPod;
  const misplacement = pod && misplacementOf(r, pod);
  if (!misplacement) return undefined;
  const { namespace, name } = pod.metadata;
  return {
    confidence: 'likely',
    about: r.about,
    summary: `the kubelet of ${r.node} never sees CSI driver ${r.driver}: in pod/${name} (namespace ${namespace ?? ''}) ${misplacement.text}`,
    evidence: [...misplacement.evidence, ...registrationEvidence(r)],
    fix: [adviceFor(pod)],
  };
});

function registrationEvidence({ csiNode, errorEvidence }: Registration): Evidence[] {
  return [
    ...(csiNode.state === 'found' ? [field(csiNode.object, 'spec.drivers', driversText(csiNode.object))] : []),
    ...errorEvidence,
  ];
}

function adviceFor({ metadata: { namespace, name } }: Pod): Fix {
  return fix(
    "set the kubelet directory in the driver's installation (kubeletDir, kubeletPath or the like), so that both paths lie below the kubelet's --root-dir",
    `kubectl ${inNamespace(namespace)}get pod ${shellWord(name)} -o yaml`,
  );
}
