import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import { explainTold } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';
import { restoreFailureOf, restoreRefusal } from './restore-source.ts';

/** A driver can only restore its own snapshots (external-provisioner getSnapshotSource). */
export const restoreDriverMismatch = claimRule({
  cause: 'restore-driver-mismatch',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'driver') return undefined;
    const name = `volumesnapshot/${failure.source.name}`;
    if (failure.by === 'provisioner')
      return explainTold(c, failure, {
        summary: `${name} was made by another driver than that of class ${c.class.name}`,
        fix: [remakeClaim(c, 'with a class of the driver that made the snapshot')],
      });
    const { content, driver, provisioner } = failure;
    return {
      summary: `${name} was made by ${driver}, and class ${c.class.name} provisions with ${provisioner}: a driver can only restore its own snapshots`,
      evidence: [field(content, 'spec.driver'), provisionerField(c, provisioner), ...restoreRefusal(c, 'driver')],
      fix: [remakeClaim(c, `with a class of ${driver}`)],
    };
  },
});

function provisionerField(c: PresentClaim, provisioner: string): Evidence {
  return c.storageClassObject
    ? field(c.storageClassObject, 'provisioner')
    : field(c.claim, 'metadata.annotations[volume.kubernetes.io/storage-provisioner]', provisioner);
}
