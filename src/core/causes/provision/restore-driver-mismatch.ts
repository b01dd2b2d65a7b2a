import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { explainTold } from './data-source.ts';
import { classText, otherClasses } from './other-class.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { restoreFailureOf, restoreRefusal } from './restore-source.ts';

/** A driver can only restore its own snapshots (external-provisioner getSnapshotSource). */
export const restoreDriverMismatch = claimRule({
  cause: 'restore-driver-mismatch',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'driver') return undefined;
    const name = `VolumeSnapshot "${failure.source.name}"`;
    if (failure.by === 'provisioner')
      return explainTold(c, failure, {
        summary:
          `${claimText(c)} cannot be restored: the provisioner reports that ${name} was taken by another driver ` +
          `than that of StorageClass "${c.class.name}".`,
        fix: [useDriver(c, undefined)],
      });
    const { content, driver, provisioner } = failure;
    return {
      summary:
        `${claimText(c)} cannot be restored: ${name} was taken by ${driver}, and StorageClass "${c.class.name}" ` +
        `provisions with ${provisioner}. A driver can only restore its own snapshots.`,
      evidence: [field(content, 'spec.driver'), provisionerField(c, provisioner), ...restoreRefusal(c, 'driver')],
      fix: [useDriver(c, driver)],
    };
  },
});

function useDriver(c: PresentClaim, driver: string | undefined): Fix {
  const [other] = driver === undefined ? [] : otherClasses(c, ({ provisioner }) => provisioner === driver);
  if (other)
    return recreateClaim(c, `with ${classText(other)}, a class of ${driver ?? ''}`, classChange(c, other.name));
  const owner = driver ?? 'the driver that took the snapshot';
  return recreateClaim(
    c,
    `with a StorageClass of ${owner} (PLACEHOLDER_CLASS)`,
    classChange(c, 'PLACEHOLDER_CLASS'),
    driver === undefined ? '' : `No class of ${owner} is known here: create one first.`,
  );
}

function provisionerField(c: PresentClaim, provisioner: string): Evidence {
  return c.storageClassObject
    ? field(c.storageClassObject, 'provisioner')
    : field(c.claim, 'metadata.annotations[volume.kubernetes.io/storage-provisioner]', provisioner);
}
