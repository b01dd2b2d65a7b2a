import { flagOf, ownerOf } from '../../facts/driver/driver-pods.ts';
import { lists, registrarOf } from '../../facts/driver/node-plugin.ts';
import { field, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { Container, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { onNode } from '../lib/node-commands.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { driversText } from './csinode.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

/** The node plugin runs without a complaint, and the kubelet does not know it. */
export const driverRegistrationSilent = registrationRule('driver-registration-silent', 'blocking', (r) => {
  const pod = r.unseenPod;
  if (!pod || r.csiNode.state !== 'found') return undefined;
  const registrar = registrarOf(pod.spec);
  return {
    about: r.about,
    summary:
      `Driver ${r.driver} is not registered on ${r.node}, although pod/${pod.metadata.name} in namespace ` +
      `${pod.metadata.namespace ?? ''} runs there ` +
      `${registrar ? 'and reports no error' : 'without a registrar container'}.${
        registrar && isNowhere(r)
          ? ' It is registered on no other node either, so the kubelets most likely look for it in another ' +
            'directory.'
          : ''
      }`,
    evidence: [
      field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object)),
      note(pod, describeRegistrar(pod, registrar)),
      ...r.errorEvidence,
    ],
    fix:
      registrar && isNowhere(r)
        ? [findKubeletDirectory(r, pod, registrar), ...adviceFor(pod, registrar.name)]
        : adviceFor(pod, registrar?.name),
  };
});

/** Its pods run on several nodes, and no kubelet knows it: one failed registration would not explain that. */
function isNowhere({ ask, driver }: Registration): boolean {
  const nodes = ask.seen('CSINode');
  return nodes.length > 1 && !nodes.some((node) => lists(node, driver));
}

/** `--root-dir` is a flag of the kubelet, so only its command line shows it. */
function findKubeletDirectory({ node }: Registration, pod: Pod, registrar: Container): Fix {
  const path = flagOf(registrar, 'kubelet-registration-path') ?? '';
  const used = /^(\/.*?)\/plugins\//.exec(path)?.[1] ?? '/var/lib/kubelet';
  const owner = ownerOf(pod);
  const set = owner?.kind === 'DaemonSet' ? `daemonset/${owner.name}` : 'the node plugin';
  return steps(
    `Compare the --root-dir in the command line of the kubelet with ${used}, which the driver uses. ` +
      `If it is another directory, set that in the chart or operator that installs ${set} (kubeletDir, ` +
      'kubeletPath or the like); its pods are recreated and register within a minute. ' +
      `If no --root-dir is set, or it is ${used}, go on with fix 2.`,
    [onNode(node, 'ps -C kubelet -o args=')],
  );
}

function describeRegistrar({ status }: Pod, registrar: Container | undefined): string {
  if (!registrar) return 'runs without a node-driver-registrar';
  const restarts = status?.containerStatuses?.find(({ name }) => name === registrar.name)?.restartCount ?? 0;
  return `runs, its container ${registrar.name ?? ''} with ${restarts} restarts`;
}

function adviceFor(pod: Pod, registrar: string | undefined): Fix[] {
  const { namespace, name } = pod.metadata;
  if (registrar === undefined)
    return [
      steps(
        'Add the node-driver-registrar sidecar to the node plugin, best by reapplying the node manifest of the ' +
          "driver's release: without it the kubelet does not learn of the driver.",
        [],
        'disruptive',
      ),
    ];
  return [
    steps(
      'Delete the pod, so that it registers again with a new socket: ' +
        'the kubelet does not retry a registration that failed once. A FUSE driver loses its mounts on the node.',
      [kubectl('delete', pod)],
      'disruptive',
    ),
    steps(
      `If it stays unregistered, look for "Received GetInfo call" in the registrar's log. ` +
        `Without it the kubelet looks elsewhere: compare --kubelet-registration-path with the kubelet's ` +
        '--root-dir. With it, the line after it gives the reason.',
      [`kubectl ${inNamespace(namespace)}logs ${shellWord(name)} -c ${shellWord(registrar)} --tail=50`],
    ),
  ];
}
