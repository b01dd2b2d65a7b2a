import type { Pod } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { sidecarOf } from '../../facts/driver/driver-pods.ts';
import { field, fix, note } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { remakeClaim } from './remake-claim.ts';
import { crossNamespaceGate as gate, isGateOn, referenceFailureOf } from './source-reference.ts';

/** external-provisioner dataSource(): a source in another namespace needs an alpha feature gate of the provisioner. */
export const datasourceCrossnsDisabled = claimRule({
  cause: 'datasource-crossns-disabled',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = referenceFailureOf(c);
    if (failure?.check !== 'disabled') return undefined;
    const { source, pod, said } = failure;
    return {
      confidence: pod && !isGateOn(pod) ? 'certain' : 'likely',
      summary: `the claim names a source in namespace ${source.namespace}, and the provisioner has the feature for that switched off`,
      evidence: [
        field(c.claim, 'spec.dataSourceRef.namespace'),
        ...(pod ? [gateEvidence(pod)] : []),
        ...saidOnClaim(c, said),
      ],
      fix: [
        remakeClaim(c, `from a copy of ${source.kind} ${source.name} in namespace ${c.namespace}`),
        fix(`or switch the alpha feature on in the provisioner (--feature-gates=${gate}=true), and in the API server`),
      ],
    };
  },
});

function gateEvidence(pod: Pod): Evidence {
  const container = sidecarOf(pod.spec, 'provisioner')?.name ?? 'the provisioner';
  return note(pod, `${gate} is not among the --feature-gates of ${container}`);
}
