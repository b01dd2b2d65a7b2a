import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Claim } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import { toldClaim } from './told-claim.ts';
import { podWords } from './told-volume.ts';

const protection = 'kubernetes.io/pvc-protection';

/** The kubelet does not mount a claim that is being deleted and has lost its protection finalizer (getPVCExtractPV). */
export const mountPvcDeleting = podRule({
  cause: 'mount-pvc-deleting',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'claimDeleting');
    const claim = findDeletedClaim(p, toldClaim(failure));
    if (!claim) return undefined;
    const [first, ...rest] = [...deletionEvidence(claim.claim), ...failureEvidence(p, failure)];
    if (!first) return undefined;
    return {
      confidence: claim.claim ? 'certain' : 'likely',
      summary: `pvc/${claim.name} is being deleted and nothing protects it any more: the kubelet does not mount it for ${podWords(p)}`,
      evidence: [first, ...rest],
      fix: adviceFor(claim),
    };
  },
});

/** A claim that cannot be read counts only if the kubelet names it. */
function findDeletedClaim({ claims }: PodCase, told: string | undefined): ClaimCase | undefined {
  return (
    claims.find(({ claim }) => claim !== undefined && isUnprotected(claim)) ??
    claims.find(({ name, lookup }) => name === told && lookup.state === 'unknown')
  );
}

function isUnprotected({ metadata }: Claim): boolean {
  return metadata.deletionTimestamp !== undefined && !(metadata.finalizers ?? []).includes(protection);
}

function deletionEvidence(claim: Claim | undefined): Evidence[] {
  if (!claim) return [];
  return [
    field(claim, 'metadata.deletionTimestamp'),
    field(claim, 'metadata.finalizers', (claim.metadata.finalizers ?? []).join(', ') || 'none'),
  ];
}

function adviceFor({ namespace, name, volumeName }: ClaimCase): Fix[] {
  const recreate = fix(
    'make the claim again, and then the pod; a deletion cannot be taken back',
    `kubectl ${inNamespace(namespace)}get pvc ${shellWord(name)} -o yaml`,
  );
  if (!volumeName) return [recreate];
  return [
    recreate,
    fix(
      `to keep the data, set the policy of pv/${volumeName} to Retain before the claim is gone`,
      `kubectl patch pv ${shellWord(volumeName)} -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`,
    ),
  ];
}
