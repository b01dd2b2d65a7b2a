import { field, fix } from '../../../facts/evidence.ts';
import { dataSourceOf } from '../data-source.ts';
import { remakeClaim } from '../remake-claim.ts';
import { answerRule, logsOf } from './driver-answer.ts';

const orphan = /volume is orphaned|Please delete manually/i;
const orphanFix = fix('look on the storage side for the volume that was left over, which no object knows');

/** The driver made a volume, and it is not what was asked for, or cannot be kept: external-provisioner Provision. */
export const provisionSizeShort = answerRule('provision-size-short', 'sizeShort', (c, error, driver) => ({
  about: driver,
  summary: `${driver} made a volume smaller than the ${c.request ?? 'size'} that the claim asks for, so the provisioner threw it away: a fault of the driver`,
  evidence: [field(c.claim, 'spec.resources.requests.storage')],
  fix: [
    remakeClaim(c, 'with a size rounded up to a whole Gi'),
    ...(orphan.test(error.text) ? [orphanFix] : []),
    fix('report it to the makers of the driver'),
    ...logsOf(c),
  ],
}));

export const provisionContentSourceMissing = answerRule(
  'provision-content-source-missing',
  'contentSourceMissing',
  (c, error, driver) => {
    const source = dataSourceOf(c);
    return {
      about: driver,
      summary: `${driver} made an empty volume in place of one from ${source ? `${source.kind} ${source.name}` : 'the data source'}, so the provisioner threw it away: a fault of the driver`,
      evidence: source ? [field(c.claim, source.path)] : [],
      fix: [
        fix('update the driver, or report it to its makers'),
        ...(orphan.test(error.text) ? [orphanFix] : []),
        ...logsOf(c),
      ],
    };
  },
);

export const provisionPvSaveFailed = answerRule('provision-pv-save-failed', 'saveFailed', (c, error, driver) => ({
  summary: `${driver} made the volume, but its PersistentVolume object was refused by the API server${orphan.test(error.text) ? ', and the volume is left over on the storage side' : ''}`,
  fix: [
    fix(
      'see what refuses the object: a webhook on PersistentVolumes, or an admission policy',
      'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
    ),
    ...(orphan.test(error.text) ? [orphanFix] : []),
    ...logsOf(c),
  ],
}));
