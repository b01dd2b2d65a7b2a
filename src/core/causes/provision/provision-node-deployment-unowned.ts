import type { StorageClass } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { runsSidecar } from '../../facts/driver/controller-health.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { startFixes } from '../../facts/driver/controller-fixes.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, note } from '../../facts/evidence.ts';
import { podEvidence } from '../../facts/pod/pod-health.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { controllerOf, provisionerOf, waitedSeconds } from './provisioner.ts';
import type { Provisioner } from './provisioner.ts';
import { admitPlugin, chooseOtherNode } from './node-plugin-fix.ts';
import { recreateClass } from '../lib/remake-class.ts';

const startSeconds = 20;
const mostShown = 3;

/**
 * external-provisioner --node-deployment: the provisioner on each node takes only the claims of its own node
 * (checkNode, becomeOwner).
 */
export const provisionNodeDeploymentUnowned = claimRule({
  cause: 'provision-node-deployment-unowned',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    if (!provisioner?.isCsi || waitedSeconds(c) < startSeconds) return undefined;
    const controller = controllerOf(c, provisioner);
    if (!isNodeDeployment(controller)) return undefined;
    if (c.selectedNode !== undefined) return explainNode(provisioner, controller, c, c.selectedNode);
    return takesNoImmediateClaims(c, controller) && c.storageClassObject
      ? explainImmediate(provisioner, controller, c, c.storageClassObject)
      : undefined;
  },
});

function provisionerContainerOf({ pods, workload }: DriverController): ReturnType<typeof sidecarOf> {
  return sidecarOf(pods.items[0]?.spec ?? workload?.object?.spec?.template?.spec, 'provisioner');
}

function isNodeDeployment(controller: DriverController): boolean {
  const flag = flagOf(provisionerContainerOf(controller), 'node-deployment');
  return flag !== undefined && flag !== 'false';
}

/** The provisioner on some node takes claims without a node too, unless that is switched off. */
function takesNoImmediateClaims(c: PresentClaim, controller: DriverController): boolean {
  const flag = flagOf(provisionerContainerOf(controller), 'node-deployment-immediate-binding');
  return c.isDelayed === false && flag === 'false';
}

function placeOf({ name }: Provisioner, { workload }: DriverController): string {
  return workload
    ? `${workload.kind.toLowerCase()}/${workload.name} in namespace ${workload.namespace}`
    : `the provisioner of ${name}`;
}

function explainNode(
  provisioner: Provisioner,
  controller: DriverController,
  c: PresentClaim,
  node: string,
): Explanation | undefined {
  const pods = controller.pods.items.filter((pod) => pod.spec?.nodeName === node);
  if (pods.some((pod) => runsSidecar(pod, controller)) || !controller.pods.complete) return undefined;
  const others = controller.pods.items.slice(0, mostShown).filter((pod) => !pods.includes(pod));
  return {
    about: `${provisioner.name}/${node}`,
    summary:
      `The scheduler chose ${node} for the claim, and ${placeOf(provisioner, controller)} has ` +
      `${pods.length === 0 ? 'no pod' : 'no running pod'} there. ` +
      'With --node-deployment no other instance provisions for that node.',
    evidence: [
      field(c.claim, 'metadata.annotations[volume.kubernetes.io/selected-node]', node),
      ...pods.map(podEvidence),
      ...others.map((pod) => note(pod, `runs on ${pod.spec?.nodeName ?? 'no node'}`)),
    ],
    fix: [...startOnNode(c, controller, node, pods[0]), chooseOtherNode(c, node)],
  };
}

/** A pod that does not run is put right; where there is none, what keeps the DaemonSet off the node. */
function startOnNode(
  c: PresentClaim,
  { workload }: DriverController,
  node: string,
  pod: Pod | undefined,
): readonly Fix[] {
  if (pod) return startFixes(pod, workload);
  const set = workload?.object?.kind === 'DaemonSet' ? workload.object : undefined;
  const lookup = c.ask.get('Node', undefined, node, `whether node ${node} is up`);
  const object = lookup.state === 'found' ? lookup.object : undefined;
  return admitPlugin(set, object, 'Its pod there then provisions the claim.');
}

function explainImmediate(
  provisioner: Provisioner,
  controller: DriverController,
  c: PresentClaim,
  storageClass: StorageClass,
): Explanation {
  const [pod] = controller.pods.items;
  const container = provisionerContainerOf(controller);
  const flags = (container?.args ?? []).filter((word) => word.includes('node-deployment')).join(' ');
  return {
    about: c.class.name,
    summary:
      `StorageClass "${c.class.name}" binds immediately, and ${placeOf(provisioner, controller)} provisions ` +
      'only for claims that have a node.',
    evidence: [
      field(storageClass, 'volumeBindingMode', storageClass.volumeBindingMode ?? 'Immediate'),
      ...(pod ? [field(pod, `spec.containers[${container?.name ?? ''}].args`, flags)] : []),
    ],
    fix: [
      recreateClass(
        c,
        'with volumeBindingMode WaitForFirstConsumer',
        { volumeBindingMode: 'WaitForFirstConsumer' },
        'The claim is provisioned once a pod that uses it is scheduled.',
      ),
    ],
  };
}
