import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { toldClaim } from './told-claim.ts';
import { podWords } from './told-volume.ts';

/** The kubelet checks every claim before it mounts anything (desired_state_of_world_populator.go getPVCExtractPV). */
export const mountPvcNotBound = podRule({
  cause: 'mount-pvc-not-bound',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'claimNotBound');
    const claim = findUnboundClaim(p, failure);
    if (!claim) return undefined;
    return {
      confidence: claim.lookup.state === 'found' ? 'certain' : 'likely',
      summary: `${podWords(p)} has a node, but pvc/${claim.name} is not bound. The kubelet waits until it is.`,
      evidence: evidenceOf(p, claim, failure),
      fix: [adviceFor(claim)],
    };
  },
});

/** The claim itself decides, because the event stays on a pod whose claim was bound a moment later. */
function findUnboundClaim(p: PodCase, failure: MountFailure | undefined): ClaimCase | undefined {
  const told = toldClaim(failure);
  const unbound = p.claims.filter((claim) => !claim.isBound && (claim.lookup.state === 'found' || claim.name === told));
  return unbound.find(({ name }) => name === told) ?? unbound[0];
}

function evidenceOf(p: PodCase, { claim }: ClaimCase, failure: MountFailure | undefined): Explanation['evidence'] {
  return [
    failure ? eventSaid(p.pod, failure.event) : field(p.pod, 'spec.nodeName'),
    ...(claim ? [field(claim, 'status.phase')] : []),
  ];
}

function adviceFor({ namespace, name }: ClaimCase): Fix {
  return steps(`Follow the answer for pvc/${name}: its cause is the one to fix. The pod then starts automatically.`, [
    `kubectl csi why ${namespace ? `-n ${shellWord(namespace)} ` : ''}pvc/${shellWord(name)}`,
  ]);
}
