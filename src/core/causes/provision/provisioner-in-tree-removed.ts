import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { inTreePrefix, isRemoved, versionOf } from './in-tree.ts';
import { failure } from './provisioner.ts';
import { classText, otherClasses } from './other-class.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { noProvisionablePluginText } from '../lib/driver-error/sentences/volume-controller.ts';

/**
 * pv_controller findProvisionablePlugin: a kubernetes.io name is looked for inside kube-controller-manager, never
 * outside.
 */
export const provisionerInTreeRemoved = claimRule({
  cause: 'provisioner-in-tree-removed',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    if (c.storageClassObject && !c.provisioner?.startsWith('kubernetes.io/')) return undefined;
    const version = versionOf(c.ask);
    const removed = c.provisioner === undefined ? undefined : isRemoved(c.provisioner, version);
    if (removed === false) return undefined;
    const said = failure(c, noProvisionablePluginText);
    const name = c.provisioner ?? said?.match[1];
    if (name === undefined || (removed !== true && !said)) return undefined;
    const server = version ? ` in Kubernetes ${version.major}.${version.minor}` : '';
    return {
      confidence: removed === true ? 'certain' : 'likely',
      about: c.class.name,
      summary: `StorageClass "${c.class.name}" names ${name}, and no such volume plugin exists${server}.`,
      evidence: [classEvidence(c), ...saidOnClaim(c, said)],
      fix: advise(c),
    };
  },
});

function classEvidence(c: PresentClaim): Evidence {
  return c.storageClassObject
    ? field(c.storageClassObject, 'provisioner')
    : field(c.claim, 'spec.storageClassName', c.class.name);
}

/** A class of a driver that works here is the way out; without one, a driver has to be installed first. */
function advise(c: PresentClaim): Fix[] {
  const [other] = otherClasses(c, ({ provisioner = '' }) => !provisioner.startsWith(inTreePrefix));
  const install = fix(
    'Install the CSI driver of this storage and create a StorageClass for it, then use that class: ' +
      'the provisioner of a class cannot be changed, and the in-tree plugin does not come back.',
  );
  return other
    ? [recreateClaim(c, `with ${classText(other)}, of ${other.provisioner}`, classChange(c, other.name)), install]
    : [install];
}
