import { registrarOf } from '../../facts/driver/node-plugin.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { Container, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { driversText } from './csinode.ts';
import { registrationRule } from './registration-rule.ts';

/** The node plugin runs without a complaint, and the kubelet does not know it. */
export const driverRegistrationSilent = registrationRule('driver-registration-silent', 'blocking', (r) => {
  const pod = r.unseenPod;
  if (!pod || r.csiNode.state !== 'found') return undefined;
  const registrar = registrarOf(pod.spec);
  return {
    about: r.about,
    summary: `CSI driver ${r.driver} is not registered on ${r.node}, although pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) runs there${registrar ? ' and has not complained' : ' (it has no registrar container)'}`,
    evidence: [
      field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object)),
      note(pod, describeRegistrar(pod, registrar)),
      ...r.errorEvidence,
    ],
    fix: adviceFor(pod, registrar?.name),
  };
});

function describeRegistrar({ status }: Pod, registrar: Container | undefined): string {
  if (!registrar) return 'runs without a node-driver-registrar';
  const restarts = status?.containerStatuses?.find(({ name }) => name === registrar.name)?.restartCount ?? 0;
  return `runs, its container ${registrar.name ?? ''} with ${restarts} restarts`;
}

function adviceFor({ metadata }: Pod, registrar: string | undefined): Fix[] {
  const target = `kubectl ${inNamespace(metadata.namespace)}`;
  const name = shellWord(metadata.name);
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
