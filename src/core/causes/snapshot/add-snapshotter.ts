import type { ControllerWorkload } from '../../facts/driver/controller.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';
import { snapshotterVersion } from './install.ts';

const resources = ['volumesnapshotcontents', 'volumesnapshotcontents/status', 'volumesnapshotclasses'];
const patchable: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/** The driver's controller gets the sidecar that it lacks: next to its provisioner, at the same socket. */
export function addSnapshotter(driver: string, pod: Pod, workload: ControllerWorkload | undefined): Fix {
  const where = workload ? `${workload.kind.toLowerCase()}/${workload.name}` : `the controller of ${driver}`;
  const text =
    `Add the csi-snapshotter to ${where}, best with the chart or operator of the driver: ` +
    'many leave it out unless the snapshot CRDs existed first or it is switched on.';
  const then = 'What waits for it then continues automatically.';
  if (!workload || !patchable.has(workload.kind)) return steps(`${text} ${then}`, [], 'disruptive');
  return steps(
    `${text} Otherwise use these lines, which give its service account the rights and add the container at ` +
      `the socket of the provisioner. ${then}`,
    [...grantCommands(pod), patchCommand(pod, workload)],
    'disruptive',
  );
}

/** Where the controller of the driver is deployed is not known. */
export function installSnapshotter(driver: string): Fix {
  return steps(
    `Add the csi-snapshotter to the controller of ${driver}, with the chart values or manifests of its ` +
      'release: many leave it out unless it is switched on. ' +
      'If the line lists one, scale it up or restart it instead. ' +
      'The snapshot is then taken within 5 minutes, with the data of that moment.',
    ['kubectl get deploy,sts,ds -A -o wide | grep -i snapshotter'],
    'disruptive',
  );
}

/** deploy/kubernetes/csi-snapshotter/rbac-csi-snapshotter.yaml */
function grantCommands({ metadata, spec }: Pod): string[] {
  const account = spec?.serviceAccountName ?? 'default';
  const role = shellWord(`${account}-snapshotter`);
  const names = resources.map((resource) => resource.replace(/^\w+/, '$&.snapshot.storage.k8s.io')).join();
  return [
    `kubectl create clusterrole ${role} --verb=get,list,watch,update,patch --resource=${names}`,
    `kubectl create clusterrolebinding ${role} --clusterrole=${role} ` +
      `--serviceaccount=${shellWord(`${metadata.namespace ?? ''}:${account}`)}`,
  ];
}

function patchCommand({ spec }: Pod, { kind, namespace, name }: ControllerWorkload): string {
  const provisioner = sidecarOf(spec, 'provisioner');
  const address = flagOf(provisioner, 'csi-address') ?? '/run/csi/socket';
  const mounts = (provisioner?.volumeMounts ?? []).filter(({ mountPath = '' }) => address.startsWith(mountPath));
  const container = {
    name: 'csi-snapshotter',
    image: `registry.k8s.io/sig-storage/csi-snapshotter:${snapshotterVersion}`,
    args: [`--csi-address=${address}`, '--leader-election'],
    ...(mounts.length > 0 && { volumeMounts: mounts }),
  };
  const patch = JSON.stringify({ spec: { template: { spec: { containers: [container] } } } });
  return `kubectl ${inNamespace(namespace)}patch ${kind.toLowerCase()} ${shellWord(name)} -p ${shellWord(patch)}`;
}
