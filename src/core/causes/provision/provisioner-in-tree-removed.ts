import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { isRemoved, versionOf } from './in-tree.ts';
import { failure } from './provisioner.ts';
import { remakeClaim } from './remake-claim.ts';

/** pv_controller findProvisionablePlugin: a kubernetes.io name is looked for inside kube-controller-manager, never outside. */
export const provisionerInTreeRemoved = claimRule({
  cause: 'provisioner-in-tree-removed',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    if (c.storageClassObject && !c.provisioner?.startsWith('kubernetes.io/')) return undefined;
    const version = versionOf(c.ask);
    const removed = c.provisioner === undefined ? undefined : isRemoved(c.provisioner, version);
    if (removed === false) return undefined;
    const said = failure(c, /no (?:provisionable )?volume plugin matched(?: name)?:? ?"?(kubernetes\.io\/[\w.-]+)?/);
    const name = c.provisioner ?? said?.match[1];
    if (name === undefined || (removed !== true && !said)) return undefined;
    const server = version ? ` in Kubernetes ${version.major}.${version.minor}` : '';
    return {
      confidence: removed === true ? 'certain' : 'likely',
      about: c.class.name,
      summary: `class ${c.class.name} names ${name}, and there is no such volume plugin${server}`,
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

function advise(c: PresentClaim): Fix[] {
  return [
    fix(
      'look which drivers there are, install the CSI driver of this storage, and make a class for it: the provisioner of a class cannot be changed',
      'kubectl get csidriver',
    ),
    remakeClaim(c, 'with that class'),
  ];
}
