import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { runsSidecar } from '../../facts/driver/controller-health.ts';
import { podEvidence } from '../../facts/pod/pod-health.ts';
import { controllerOf, provisionerOf, waitedSeconds } from './provisioner.ts';
import { remakeClass } from './remake-class.ts';

const startSeconds = 20;

/** external-provisioner --node-deployment: the provisioner on each node takes only the claims of its own node (checkNode, becomeOwner). */
export const provisionNodeDeploymentUnowned = claimRule({
  cause: 'provision-node-deployment-unowned',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    if (!provisioner?.isCsi || waitedSeconds(c) < startSeconds) return undefined;
    const controller = controllerOf(c, provisioner);
    const spec = controller.pods.items[0]?.spec ?? controller.workload?.object?.spec?.template?.spec;
    const sidecar = sidecarOf(spec, 'provisioner');
    if (!isOn(flagOf(sidecar, 'node-deployment'))) return undefined;
    const node = c.selectedNode;
    const where = controller.workload
      ? `${controller.workload.kind.toLowerCase()}/${controller.workload.name} in namespace ${controller.workload.namespace}`
      : `the provisioner of ${provisioner.name}`;
    if (node !== undefined) {
      const pods = controller.pods.items.filter((pod) => pod.spec?.nodeName === node);
      if (pods.some((pod) => runsSidecar(pod, controller)) || !controller.pods.complete) return undefined;
      return {
        about: `${provisioner.name}/${node}`,
        summary: `node ${node} was chosen for the claim, and ${where} has ${pods.length === 0 ? 'no pod' : 'no running pod'} there: with --node-deployment nobody else provisions for that node`,
        evidence: [
          field(c.claim, 'metadata.annotations[volume.kubernetes.io/selected-node]', node),
          ...pods.map(podEvidence),
          ...controller.pods.items
            .slice(0, 3)
            .filter((pod) => !pods.includes(pod))
            .map((pod) => note(pod, `runs on ${pod.spec?.nodeName ?? 'no node'}`)),
        ],
        fix: [
          fix(
            `see what runs on ${node}, and make the driver run there (node selector, tolerations), or let the pod go to a node where it runs`,
            `kubectl ${inNamespace(controller.workload?.namespace)}get pods -o wide --field-selector spec.nodeName=${shellWord(node)}`,
          ),
        ],
      };
    }
    if (
      c.isDelayed !== false ||
      !c.storageClassObject ||
      flagOf(sidecar, 'node-deployment-immediate-binding') !== 'false'
    )
      return undefined;
    const pod = controller.pods.items[0];
    return {
      about: c.class.name,
      summary: `class ${c.class.name} binds immediately, and ${where} takes only claims that a pod has brought to a node`,
      evidence: [
        field(c.storageClassObject, 'volumeBindingMode', c.storageClassObject.volumeBindingMode ?? 'Immediate'),
        ...(pod
          ? [
              field(
                pod,
                `spec.containers[${sidecar?.name ?? ''}].args`,
                (sidecar?.args ?? []).filter((word) => word.includes('node-deployment')).join(' '),
              ),
            ]
          : []),
      ],
      fix: [remakeClass(c.class.name, 'with volumeBindingMode: WaitForFirstConsumer')],
    };
  },
});

function isOn(flag: string | undefined): boolean {
  return flag !== undefined && flag !== 'false';
}
