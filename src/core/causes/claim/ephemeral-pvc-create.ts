import { parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace } from '../../facts/evidence.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { absentClaimRule } from '../lib/rule.ts';
import { absenceOf, refusalOf, remakeOwner, serverWords, unmadeClaimOf } from './refusal.ts';
import type { UnmadeClaim } from './refusal.ts';

const longestName = 253;
const graceSeconds = 30;
const staleSeconds = 60;

/** The ephemeral controller tried and was refused, for a reason that has no cause of its own. */
export const ephemeralPvcCreateFailed = absentClaimRule({
  cause: 'ephemeral-pvc-create-failed',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const unmade = ephemeralOf(c);
    if (!unmade) return undefined;
    const refusal = refusalOf(c, unmade);
    const isTooLong = c.name.length > longestName;
    if (!isTooLong && refusal?.kind !== 'other' && refusal?.kind !== 'terminating') return undefined;
    const why = isTooLong
      ? `its name would be longer than ${longestName} characters`
      : serverWords(refusal?.text ?? '').trim();
    return {
      confidence: isTooLong ? 'certain' : (refusal?.confidence ?? 'likely'),
      summary: `pvc/${c.name} for the ephemeral volume of ${unmade.label} could not be made: ${why}`,
      evidence: [absenceOf(c), ...(refusal ? [refusal.evidence] : [])],
      fix: [
        /cannot create resource/.test(why)
          ? fix(
              'give the ephemeral volume controller of kube-controller-manager the right to create claims: the default roles have it',
            )
          : remakeOwner(
              unmade,
              isTooLong ? 'use a shorter name for the pod or the volume' : 'correct what the server complains about',
            ),
      ],
    };
  },
});

/** The controller in kube-controller-manager makes the claim within moments; if it does not, it is not running. */
export const ephemeralPvcPending = absentClaimRule({
  cause: 'ephemeral-pvc-pending',
  stage: 'claim',
  severity: 'info',
  explain(c) {
    const unmade = ephemeralOf(c);
    if (!unmade?.isDue || refusalOf(c, unmade)) return undefined;
    const created = parseTime(unmade.owner.metadata.creationTimestamp);
    const evidence = [absenceOf(c), field(unmade.owner, 'metadata.creationTimestamp')] as const;
    if (created !== undefined && c.now - created < graceSeconds * 1000) {
      return { summary: `pvc/${c.name} for the ephemeral volume of ${unmade.label} is being made`, evidence, fix: [] };
    }
    const lease = c.ask.get(
      'Lease',
      'kube-system',
      'kube-controller-manager',
      'whether kube-controller-manager is alive',
    );
    const renewed = lease.state === 'found' ? parseTime(lease.object.spec?.renewTime) : undefined;
    const isStale = renewed !== undefined && c.now - renewed > staleSeconds * 1000;
    return {
      severity: 'blocking',
      // A controller that is alive was more likely refused, and its word has expired or could not be heard.
      confidence: isStale
        ? 'certain'
        : renewed === undefined && c.ask.eventsOf(unmade.owner).complete
          ? 'likely'
          : 'possible',
      about: 'ephemeral controller',
      summary: `pvc/${c.name} for the ephemeral volume of ${unmade.label} was never made: the ephemeral volume controller of kube-controller-manager ${isStale ? 'does not act, and its lease is stale' : 'does not act, or is refused'}`,
      evidence: [...evidence, ...(lease.state === 'found' ? [field(lease.object, 'spec.renewTime')] : [])],
      fix: [
        fix(
          'look for kube-controller-manager, and bring it back with its ephemeral-volume-controller enabled',
          `kubectl ${inNamespace('kube-system')}get pods -l component=kube-controller-manager`,
        ),
      ],
    };
  },
});

function ephemeralOf(c: ClaimCase): UnmadeClaim | undefined {
  const unmade = unmadeClaimOf(c);
  return unmade?.owner.kind === 'Pod' ? unmade : undefined;
}
