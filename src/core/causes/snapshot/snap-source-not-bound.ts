import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { longestRetrySeconds, matchError, ruleForSnapshot } from './snapshot-rule.ts';
import { explainUnreadClaim, sourceOf } from './snapshot-source.ts';
import type { SnapshotSource } from './snapshot-source.ts';

/** Within this time a claim that is not bound is only on its way. */
const bindingSeconds = 120;

/** getVolumeFromVolumeSnapshot: the claim must be Bound to a volume that exists and names the claim. */
export const snapSourceNotBound = ruleForSnapshot({
  cause: 'snap-source-not-bound',
  severity: 'blocking',
  explain: explainNotBound,
});

export function explainNotBound(s: SnapshotCase): Explanation | undefined {
  const source = sourceOf(s);
  const said = matchError(
    s,
    /the PVC \S+ is not yet bound to a PV|claim in dataSource not bound or invalid|failed to retrieve PV \S+ from the API server/,
  )?.evidence;
  if (source && said && source.claim.lookup.state === 'unknown')
    return explainUnreadClaim(source, 'is not bound', said);
  const claim = source?.claim.claim;
  if (!claim) return undefined;
  const why = whyUnbound(source.claim, claim);
  if (why) return explainUnbound(source, claim, why, said);
  return said && explainBoundSince(s, source, claim, said);
}

interface Unbound {
  /** Follows the name of the claim. */
  readonly words: string;
  readonly evidence: readonly Evidence[];
}

function whyUnbound({ volume, volumeName }: ClaimCase, claim: Claim): Unbound | undefined {
  const phase = claim.status?.phase;
  const named = field(claim, 'spec.volumeName');
  if (phase === 'Lost') return { words: 'has lost its volume', evidence: [field(claim, 'status.phase'), named] };
  if (phase !== 'Bound') return { words: 'is not bound', evidence: [field(claim, 'status.phase')] };
  if (volume?.state === 'missing')
    return {
      words: `is bound to pv/${volumeName}, which does not exist`,
      evidence: [named, absent('PersistentVolume', volumeName)],
    };
  if (volume?.state !== 'found' || namesBack(volume.object, claim)) return undefined;
  const owner = volume.object.spec?.claimRef;
  return {
    words: `is bound to pv/${volumeName}, which belongs to ${owner?.name ? `another claim (${owner.namespace ?? ''}/${owner.name})` : 'no claim'}`,
    evidence: [named, field(volume.object, 'spec.claimRef')],
  };
}

function namesBack({ spec }: Volume, { metadata }: Claim): boolean {
  const reference = spec?.claimRef;
  return (
    reference?.name === metadata.name &&
    reference.namespace === metadata.namespace &&
    (!reference.uid || reference.uid === metadata.uid)
  );
}

function explainUnbound(source: SnapshotSource, claim: Claim, why: Unbound, said: Evidence | undefined): Explanation {
  const { name, namespace } = claim.metadata;
  const isPending = claim.status?.phase === 'Pending';
  const isWaiting = isPending && source.claim.isDelayed === true && source.claim.isUnused !== undefined;
  const isYoung = isPending && source.claim.ageSeconds < bindingSeconds;
  return {
    severity: isWaiting || isYoung ? 'info' : 'blocking',
    confidence: isPending && source.claim.isDelayed === undefined ? 'likely' : 'certain',
    about: `pvc/${namespace ?? ''}/${name}`,
    summary: `claim ${name}, of which volumesnapshot/${source.snapshot.metadata.name} is to be taken, ${why.words}${isWaiting ? ': its volume is made when the first pod uses it, and the snapshot is taken then' : ''}`,
    evidence: [source.named, ...why.evidence, ...(said ? [said] : [])],
    fix: [adviceFor(claim, isWaiting)],
  };
}

function adviceFor({ metadata: { name, namespace } }: Claim, isWaiting: boolean): Fix {
  return fix(
    isWaiting ? 'start a pod that uses the claim' : 'bind the claim first: the snapshot then goes on by itself',
    `kubectl csi why pvc/${shellWord(name)} ${inNamespace(namespace)}`.trim(),
  );
}

/** The claim was bound after the last attempt, and the controller has not retried yet. */
function explainBoundSince(
  s: SnapshotCase,
  source: SnapshotSource,
  claim: Claim,
  said: Evidence,
): Explanation | undefined {
  const { volume, name } = source.claim;
  if (volume?.state !== 'found') return undefined;
  if (s.secondsSince(volume.object.metadata.creationTimestamp) > longestRetrySeconds) return undefined;
  return {
    severity: 'info',
    summary: `claim ${name} was not bound when volumesnapshot/${source.snapshot.metadata.name} was last tried, and is bound now: the controller tries again within five minutes`,
    evidence: [said, field(claim, 'status.phase')],
    fix: [],
  };
}
