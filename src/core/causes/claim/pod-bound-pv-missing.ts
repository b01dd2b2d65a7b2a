import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule, podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { Claim } from '../../kube/kinds.ts';

const cause = 'pod-bound-pv-missing';

/** The volume was removed behind the claim's back, and the volume controller has not said Lost yet. */
export const podBoundPvMissing = claimRule({
  cause,
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!c.isBound || c.volume?.state !== 'missing') return undefined;
    return explainGone(c.claim, c.volumeName);
  },
});

/** Where volumes may not be read, the scheduler knows (VolumeBinding checkBoundClaims). */
export const podBoundPvSaidMissing = podRule({
  cause,
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const said = p.schedulingMessage?.reasons.some(({ text }) =>
      /bound to non-existent (?:pv|persistentvolume)/i.test(text),
    );
    const named = /persistentvolumeclaim "([^"]+)" bound to non-existent persistentvolume "([^"]+)"/i.exec(
      p.schedulingMessage?.raw ?? '',
    )?.[1];
    const hidden = said
      ? p.claims.filter((candidate) => candidate.isBound && candidate.volume?.state === 'unknown')
      : [];
    const c = hidden.find(({ name }) => name === named) ?? hidden[0];
    if (!c?.claim) return undefined;
    const { confidence: _proof, evidence, ...rest } = explainGone(c.claim, c.volumeName);
    return {
      ...rest,
      confidence: hidden.length === 1 || named === c.name ? 'likely' : 'possible',
      evidence: [evidence[0], field(p.pod, 'status.conditions[PodScheduled].message', p.schedulingMessage?.raw)],
    };
  },
});

function explainGone(claim: Claim, volumeName: string): Explanation {
  const { name, namespace } = claim.metadata;
  return {
    summary: `pvc/${name} is bound to pv/${volumeName}, which does not exist any more`,
    evidence: [
      field(claim, 'spec.volumeName', volumeName),
      field(claim, 'status.phase'),
      absent('PersistentVolume', volumeName),
    ],
    fix: [
      fix(
        `look at the claim; if the storage behind it still exists, create pv/${volumeName} again with the same volume handle and a claimRef to this claim: they find each other`,
        `kubectl ${inNamespace(namespace)}get pvc ${shellWord(name)} -o yaml`,
      ),
      fix(
        'data-loss: otherwise give the volume up: delete the claim, make it again and restore a backup into it',
        `kubectl ${inNamespace(namespace)}delete pvc ${shellWord(name)}`,
        'data-loss',
      ),
    ],
  };
}
