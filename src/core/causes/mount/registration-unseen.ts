import { registrarOf } from '../../facts/driver/node-plugin.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { driversText } from './driver-not-on-node.ts';
import { onEachSubject } from './registration-rule.ts';
import { isSettled } from './plugin-health.ts';
import { misplacementOf } from './registration-path.ts';
import type { Registration } from './registration.ts';

/** All of the plugin runs, and the kubelet never heard of it: two causes, told apart by the paths. */
function settledPodOf(r: Registration): Pod | undefined {
  return r.trouble === 'quiet' ? r.plugin.pods.items.find((pod) => isSettled(pod, r.ask.now)) : undefined;
}

export const driverRegistrationPathWrong = onEachSubject('driver-registration-path-wrong', 'blocking', (r) => {
  const pod = settledPodOf(r);
  const misplacement = pod && misplacementOf(r, pod);
  const [first, ...more] = misplacement?.evidence ?? [];
  if (!pod || !misplacement || !first) return undefined;
  return {
    confidence: 'likely',
    about: r.about,
    summary: `the kubelet of ${r.node} never sees CSI driver ${r.driver}: in pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) ${misplacement.text}`,
    evidence: [
      first,
      ...more,
      ...(r.csiNode.state === 'found' ? [field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object))] : []),
      ...(r.said ? [r.said.evidence] : []),
    ],
    fix: [
      fix(
        "set the kubelet directory in the driver's installation (kubeletDir, kubeletPath or the like), so that both paths lie below the kubelet's --root-dir",
        `kubectl ${inNamespace(pod.metadata.namespace)}get pod ${shellWord(pod.metadata.name)} -o yaml`,
      ),
    ],
  };
});

export const driverRegistrationSilent = onEachSubject('driver-registration-silent', 'blocking', (r) => {
  const pod = settledPodOf(r);
  if (!pod || r.csiNode.state !== 'found') return undefined;
  const registrar = registrarOf(pod.spec);
  return {
    about: r.about,
    summary: `CSI driver ${r.driver} is not registered on ${r.node}, although pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) runs there${registrar ? ' and has not complained' : ' (it has no registrar container)'}`,
    evidence: [
      field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object)),
      note(
        pod,
        registrar
          ? `runs, its container ${registrar.name ?? ''} with ${pod.status?.containerStatuses?.find(({ name }) => name === registrar.name)?.restartCount ?? 0} restarts`
          : 'runs without a node-driver-registrar',
      ),
      ...(r.said ? [r.said.evidence] : []),
    ],
    fix: fixesOf(pod, registrar?.name),
  };
});

function fixesOf(pod: Pod, registrar: string | undefined): Fix[] {
  const target = `kubectl ${inNamespace(pod.metadata.namespace)}`;
  const name = shellWord(pod.metadata.name);
  if (registrar === undefined)
    return [
      fix(
        'add the node-driver-registrar sidecar to the node plugin: without it the kubelet cannot know of the driver',
        `${target}get pod ${name} -o yaml`,
      ),
    ];
  return [
    fix(
      'see whether the kubelet ever asked the registrar ("Received GetInfo call")',
      `${target}logs ${name} -c ${shellWord(registrar)} --tail=50`,
    ),
    fix(
      'restart the pod, so that it registers again: the kubelet does not retry a registration that failed once',
      `${target}delete pod ${name}`,
      'disruptive',
    ),
    fix(
      "if it stays so, compare --kubelet-registration-path and the registration directory with the kubelet's --root-dir",
      `${target}get pod ${name} -o yaml`,
    ),
  ];
}
