import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { referenceFailureOf } from './source-reference.ts';

const mostShown = 3;

/**
 * external-provisioner dataSource(): a ReferenceGrant in the namespace of the source must allow claims of this
 * namespace.
 */
export const datasourceCrossnsNoGrant = claimRule({
  cause: 'datasource-crossns-no-grant',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = referenceFailureOf(c);
    if (failure?.check !== 'noGrant') return undefined;
    const { source, grants, isFollowed, said } = failure;
    return {
      confidence: grants.complete && isFollowed ? 'certain' : 'likely',
      summary:
        `${claimText(c)} may not use ${source.kind} "${source.name}": ` +
        `namespace ${source.namespace} has no ReferenceGrant for claims of namespace ${c.namespace}.`,
      evidence: [
        sourceEvidence(c, source),
        ...grants.items.slice(0, mostShown).map((grant) => field(grant, 'spec')),
        ...saidOnClaim(c, said),
      ],
      fix: [grantAccess(c, source)],
    };
  },
});

/** Lets claims of this namespace use the source. */
export function grantManifest(c: PresentClaim, source: DataSource): object {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1beta1',
    kind: 'ReferenceGrant',
    metadata: { name: `allow-${c.namespace}`.slice(0, 253), namespace: source.namespace },
    spec: {
      from: [{ group: '', kind: 'PersistentVolumeClaim', namespace: c.namespace }],
      to: [{ group: source.group, kind: source.kind, name: source.name }],
    },
  };
}

function grantAccess(c: PresentClaim, source: DataSource): Fix {
  return steps(
    `Create the grant, as someone who may write in namespace ${source.namespace}. The claim then continues automatically.`,
    [applyCommand(grantManifest(c, source))],
  );
}
