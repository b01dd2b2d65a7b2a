import type { Pod, StorageClass } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import { flagOf } from '../../facts/driver/driver-pods.ts';
import { absent, field, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { provisionerOf, waitedSeconds } from './provisioner.ts';

const annotationSeconds = 120;
const controllerManager = 'kube-controller-manager';

/**
 * pv_controller provisionClaim returns without a word when dynamic provisioning is off: not even the annotation is
 * written.
 */
export const provisioningDisabled = claimRule({
  cause: 'provisioning-disabled',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const storageClass = c.storageClassObject;
    if (!storageClass || !isLeftAlone(c)) return undefined;
    const turnedOff = controllerManagers(c).find(hasProvisioningOff);
    if (!turnedOff && waitedSeconds(c) < annotationSeconds) return undefined;
    // A dead controller manager explains the silence better, and is another cause.
    if (!turnedOff && !isControllerManagerAlive(c)) return undefined;
    return {
      confidence: turnedOff ? 'certain' : 'likely',
      about: controllerManager,
      summary: turnedOff
        ? `${controllerManager} runs with --enable-dynamic-provisioning=false, so no provisioner is asked to create volumes.`
        : `${controllerManager} is alive and has asked no provisioner to create a volume: ` +
          'dynamic provisioning is most likely switched off.',
      evidence: [
        turnedOff
          ? field(turnedOff, 'spec.containers.args', '--enable-dynamic-provisioning=false')
          : neverAsked(storageClass),
        missingAnnotation(c),
      ],
      fix: [removeFlag(turnedOff)],
    };
  },
});

/** The manifest of a static pod is on its node; the kubelet restarts the pod when it changes. */
function removeFlag(pod: Pod | undefined): Fix {
  const node = pod?.spec?.nodeName;
  const isStatic =
    pod?.metadata.annotations?.['kubernetes.io/config.source'] === 'file' ||
    pod?.metadata.ownerReferences?.some(({ kind }) => kind === 'Node');
  if (node === undefined || isStatic !== true)
    return steps(
      'Ask whoever runs the control plane to remove --enable-dynamic-provisioning=false from ' +
        `${controllerManager}. Waiting claims are then provisioned automatically.`,
      [],
    );
  return steps(
    `Remove the flag from the manifest of ${controllerManager} on every control plane node (here ${node}). ` +
      'The kubelet restarts it, and waiting claims are then provisioned automatically.',
    [
      `kubectl debug node/${shellWord(node)} -it --profile=sysadmin --image=busybox -- chroot /host sed -i ` +
        `'/--enable-dynamic-provisioning=false/d' /etc/kubernetes/manifests/${controllerManager}.yaml`,
    ],
    'disruptive',
  );
}

/** The claim could have been provisioned for long, and no controller has touched it. */
function isLeftAlone(c: PresentClaim): boolean {
  if (!provisionerOf(c) || c.askedProvisioner !== undefined) return false;
  if (c.events.items.length > 0) return false;
  // With WaitForFirstConsumer no provisioner is asked before a node is selected.
  return !c.isDelayed || c.selectedNode !== undefined;
}

function controllerManagers(c: ClaimCase): readonly Pod[] {
  return c.ask
    .list('Pod', 'kube-system', `how ${controllerManager} is started`)
    .items.filter(
      ({ metadata }) =>
        metadata.labels?.['component'] === controllerManager || metadata.name.startsWith(`${controllerManager}-`),
    );
}

function hasProvisioningOff({ spec }: Pod): boolean {
  return (spec?.containers ?? []).some((container) => flagOf(container, 'enable-dynamic-provisioning') === 'false');
}

function isControllerManagerAlive(c: ClaimCase): boolean {
  const lease = c.ask.get('Lease', 'kube-system', controllerManager, `whether ${controllerManager} is alive`);
  const renewed = lease.state === 'found' ? parseTime(lease.object.spec?.renewTime) : undefined;
  return renewed !== undefined && c.now - renewed < 60_000;
}

function neverAsked(storageClass: StorageClass): Evidence {
  return note(storageClass, `provisioner ${storageClass.provisioner ?? ''} was never asked`);
}

function missingAnnotation(c: PresentClaim): Evidence {
  return {
    ...absent('PersistentVolumeClaim', c.name, c.namespace),
    path: 'metadata.annotations[volume.kubernetes.io/storage-provisioner]',
    value: 'not set',
  };
}
