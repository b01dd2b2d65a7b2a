import { field, fix } from '../../facts/evidence.ts';
import { answerRule, logsOf } from './driver-answer.ts';
import { removeOrphan } from './orphaned-volume.ts';
import { remakeClaim } from './remake-claim.ts';

/** external-provisioner Provision deletes a volume that is smaller than the request. */
export const provisionSizeShort = answerRule('provision-size-short', 'sizeShort', (c, error, driver) => ({
  about: driver,
  summary: `${driver} made a volume smaller than the ${c.request ?? 'size'} that the claim asks for, so the provisioner threw it away: a fault of the driver`,
  evidence: [field(c.claim, 'spec.resources.requests.storage')],
  fix: [
    remakeClaim(c, 'with a size rounded up to a whole Gi'),
    ...removeOrphan(error),
    fix('report it to the makers of the driver'),
    ...logsOf(c),
  ],
}));
