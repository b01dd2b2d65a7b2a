import { eventSaid, fix } from '../../facts/evidence.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { failure, provisionerOf } from './provisioner.ts';

const remedies: Readonly<Record<string, string>> = {
  'dynamic provisioning': 'make the volume by hand and a PersistentVolume for it, or use a class of another driver',
  'snapshot restore': 'restore the data by other means, or switch snapshots on in the driver',
  'clone operations': 'take a snapshot and restore it instead of cloning, if the driver can do that',
  VolumeAttributesClass: 'make the claim again without spec.volumeAttributesClassName',
};

/** external-provisioner checkDriverCapabilities: it asks the driver for its capabilities at start, and refuses the rest itself. */
export const provisionCapabilityMissing = claimRule({
  cause: 'provision-capability-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const said = failure(
      c,
      /CSI driver does not support (dynamic provisioning|snapshot restore|clone operations|VolumeAttributesClass): (?:plugin|controller) (\S+) capability is not reported/,
    );
    if (!said) return undefined;
    const [, feature = '', capability = ''] = said.match;
    return {
      confidence: 'likely',
      summary: `driver ${provisionerOf(c)?.name ?? c.askedProvisioner ?? ''} does not offer ${feature} (${capability})`,
      evidence: [eventSaid(c.claim, said.event)],
      fix: [
        fix(
          `${remedies[feature] ?? 'use a driver that can do it'}; the claim, which holds no data yet, has to be made again for that`,
          deleteClaimCommand(c),
          'disruptive',
        ),
      ],
    };
  },
});
