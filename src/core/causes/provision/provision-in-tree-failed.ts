import { componentOf } from '../../graph/events.ts';
import { eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { failure, volumeController } from './provisioner.ts';
import { provisionErrorOf } from './provision-error.ts';

/** pv_controller provisionClaimOperation: the volume controller itself tried to create the volume, and failed. */
export const provisionInTreeFailed = claimRule({
  cause: 'provision-in-tree-failed',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const said = failure(
      c,
      /Failed to provision volume with StorageClass|Failed to create provisioner|Mount options are not supported by the provisioner|is not a CSI plugin\. Only CSI plugin can provision a claim with a datasource|provisioning in volume plugin "([^"]+)" is disabled/,
    );
    // Where the text itself names the reason (a quota, an access mode), that is the cause.
    if (!said || componentOf(said.event) !== volumeController || provisionErrorOf(c)) return undefined;
    return {
      confidence: 'likely',
      summary: `kube-controller-manager tried to make the volume for class ${c.class.name} itself, and failed`,
      evidence: [eventSaid(c.claim, said.event)],
      fix: [
        fix(
          'see what it complains of and correct that; better, move to the CSI driver of this storage',
          `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
        ),
      ],
    };
  },
});
