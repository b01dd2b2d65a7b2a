import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { lastSeen } from '../../graph/events.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { retryNow, retryText } from './retry.ts';
import { longestRetrySeconds, matchError, nameOf, ruleForSnapshot } from './snapshot-rule.ts';
import { explainUnreadClaim, sourceOf, sourceText } from './snapshot-source.ts';
import type { SnapshotSource } from './snapshot-source.ts';
import { sourceUnboundTexts } from '../lib/driver-error/sentences/snapshots.ts';

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
  const said = matchError(s, sourceUnboundTexts)?.evidence;
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
  if (phase === 'Lost')
    return { words: `has lost its volume, pv/${volumeName}`, evidence: [field(claim, 'status.phase'), named] };
  if (phase !== 'Bound')
    return { words: `is not bound (${phase ?? 'no phase'})`, evidence: [field(claim, 'status.phase')] };
  if (volume?.state === 'missing')
    return {
      words: `is bound to pv/${volumeName}, which does not exist`,
      evidence: [named, absent('PersistentVolume', volumeName)],
    };
  if (volume?.state !== 'found' || namesBack(volume.object, claim)) return undefined;
  const owner = volume.object.spec?.claimRef;
  return {
    words:
      `is bound to pv/${volumeName}, which belongs to ` +
      `${owner?.name ? `another claim (${owner.namespace ?? ''}/${owner.name})` : 'no claim'}`,
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
    summary: `${sourceText(source)} ${why.words}.${nextText(isWaiting)}`,
    evidence: [source.named, ...why.evidence, ...complaintOf(source.claim), ...(said ? [said] : [])],
    fix: [adviceFor(claim, isWaiting)],
  };
}

function nextText(isWaiting: boolean): string {
  return isWaiting
    ? ' Its volume is created when the first pod uses it, and the snapshot is taken then. This is expected.'
    : ' A snapshot is taken of bound claims only.';
}

/** What was last reported about the claim, so that its problem is visible here. */
function complaintOf({ claim, events }: ClaimCase): Evidence[] {
  const warnings = events.items.filter(({ type }) => type === 'Warning').toSorted((a, b) => lastSeen(b) - lastSeen(a));
  return claim && warnings[0] ? [eventSaid(claim, warnings[0])] : [];
}

function adviceFor({ metadata: { name, namespace } }: Claim, isWaiting: boolean): Fix {
  const why = `kubectl csi why pvc/${shellWord(name)} ${inNamespace(namespace)}`.trim();
  return isWaiting
    ? fix(`Start a pod that uses pvc/${name}. The claim is then bound, and the snapshot taken within 5 minutes.`)
    : fix(
        `Repair pvc/${name} first: this names what blocks it and the steps. ` +
          'The snapshot stays as it is and is taken within 5 minutes of the claim being bound.',
        why,
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
    summary: `pvc/${name} is bound now; it was not when ${nameOf(s)} was last tried. ${retryText(s)}`,
    evidence: [said, field(claim, 'status.phase')],
    fix: [retryNow(source.snapshot)],
  };
}
