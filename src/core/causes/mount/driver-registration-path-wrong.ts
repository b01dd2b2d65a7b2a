import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { field } from '../../facts/evidence.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { fileOf, saveCommand, steps } from '../lib/steps.ts';
import { driversText } from './csinode.ts';
import { announcedElsewhere, misplacementOf } from './registration-path.ts';
import type { Misplacement } from './registration-path.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

/** The node plugin runs, but its sockets are where the kubelet does not look (pluginwatcher). */
export const driverRegistrationPathWrong = registrationRule('driver-registration-path-wrong', 'blocking', (r) => {
  const isRefused = r.trouble === 'refused';
  const pod = isRefused ? r.pod : r.unseenPod;
  const misplacement = pod && (isRefused ? announcedElsewhere(pod) : misplacementOf(r, pod));
  if (!misplacement) return undefined;
  const { namespace, name } = pod.metadata;
  return {
    confidence: 'likely',
    about: r.about,
    summary:
      `The kubelet of ${r.node} does not ${isRefused ? 'reach' : 'see'} driver ${r.driver}: ` +
      `in pod/${name} in namespace ${namespace ?? ''}, ${misplacement.text}.`,
    evidence: [...misplacement.evidence, ...registrationEvidence(r)],
    fix: [adviceFor(pod, misplacement)],
  };
});

function registrationEvidence({ csiNode, errorEvidence }: Registration): Evidence[] {
  return [
    ...(csiNode.state === 'found' ? [field(csiNode.object, 'spec.drivers', driversText(csiNode.object))] : []),
    ...errorEvidence,
  ];
}

/** All paths of the plugin lie below the kubelet's directory, so they are replaced together. */
function adviceFor(pod: Pod, { from, to }: Misplacement): Fix {
  const owner = ownerOf(pod);
  const text =
    `Replace ${from} with ${to} in the node plugin, and set it in the values of its chart too (kubeletDir, ` +
    'kubeletPath or the like). Its pods are recreated and register.';
  if (owner?.kind !== 'DaemonSet') return steps(`Correct the paths. ${text}`, [], 'disruptive');
  const { namespace } = pod.metadata;
  const set = {
    kind: 'DaemonSet',
    metadata: { name: owner.name, ...(namespace !== undefined && { namespace }) },
  } as const;
  return steps(
    text,
    [saveCommand(set), `sed ${shellWord(`s#${from}#${to}#g`)} ${shellWord(fileOf(set))} | kubectl apply -f -`],
    'disruptive',
  );
}
