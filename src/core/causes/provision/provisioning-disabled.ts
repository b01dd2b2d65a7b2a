import { flagOf } from '../../facts/driver/driver-pods.ts';
import { absent, field, fix, note } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { Pod } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { provisionerOf, waitedSeconds } from './provisioner.ts';

const annotationSeconds = 120;
const controllerManager = 'kube-controller-manager';

/** pv_controller provisionClaim returns without a word when dynamic provisioning is off: not even the annotation is written. */
export const provisioningDisabled = claimRule({
  cause: 'provisioning-disabled',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const storageClass = c.storageClassObject;
    if (
      !storageClass ||
      !provisionerOf(c) ||
      c.askedProvisioner !== undefined ||
      waitedSeconds(c) < annotationSeconds ||
      c.events.items.length > 0
    )
      return undefined;
    // Before a node is chosen nobody is asked either.
    if (c.isDelayed && c.selectedNode === undefined) return undefined;
    const turnedOff = controllerManagers(c).find((pod) =>
      pod.spec?.containers?.some((container) => flagOf(container, 'enable-dynamic-provisioning') === 'false'),
    );
    if (!turnedOff && !isControllerManagerAlive(c)) return undefined;
    return {
      confidence: turnedOff ? 'certain' : 'likely',
      about: controllerManager,
      summary: turnedOff
        ? `${controllerManager} runs with --enable-dynamic-provisioning=false, so nobody is asked to make a volume`
        : `${controllerManager} lives but asked nobody to make a volume: dynamic provisioning is most likely switched off`,
      evidence: [
        turnedOff
          ? field(turnedOff, 'spec.containers.args', '--enable-dynamic-provisioning=false')
          : note(storageClass, `provisioner ${storageClass.provisioner ?? ''} was never asked`),
        {
          ...absent('PersistentVolumeClaim', c.name, c.namespace),
          path: 'metadata.annotations[volume.kubernetes.io/storage-provisioner]',
          value: 'not set',
        },
      ],
      fix: [
        fix(
          `look at the flags of ${controllerManager}, and remove --enable-dynamic-provisioning=false (on a managed cluster, ask the provider)`,
          `kubectl -n kube-system get pods -l component=${controllerManager} -o yaml`,
        ),
      ],
    };
  },
});

function controllerManagers(c: ClaimCase): readonly Pod[] {
  return c.ask
    .list('Pod', 'kube-system', `how ${controllerManager} is started`)
    .items.filter(
      (pod) =>
        pod.metadata.labels?.['component'] === controllerManager ||
        pod.metadata.name.startsWith(`${controllerManager}-`),
    );
}

/** A dead controller manager explains the silence better, and is another cause. */
function isControllerManagerAlive(c: ClaimCase): boolean {
  const lease = c.ask.get('Lease', 'kube-system', controllerManager, `whether ${controllerManager} is alive`);
  const renewed = lease.state === 'found' ? parseTime(lease.object.spec?.renewTime) : undefined;
  return renewed !== undefined && c.now - renewed < 60_000;
}
