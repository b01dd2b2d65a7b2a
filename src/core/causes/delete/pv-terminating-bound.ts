import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { absent, field, note } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { holdersOf, podNames } from './claim-holders.ts';
import { rescueVolumeFix } from './claim-rescue.ts';
import { dataFirst, isAtRisk, retainFix } from './data-first.ts';
import { deletionEvidence, pvProtection } from './finalizers.ts';
import { startManagerFix, testUpdateFix } from './manager-fixes.ts';
import { policyOf } from './reclaim-policy.ts';
import { isHeldBy } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { deletedVolumeWords } from './volume-words.ts';

/** The claim that keeps the volume, and the pods that keep the claim. */
interface Binding {
  /** Undefined: the volume does not name one. */
  readonly claim: ClaimCase | undefined;
  readonly isLeaving: boolean;
  readonly isMissing: boolean;
  readonly holders: readonly Pod[];
}

/** By design (pv_protection_controller): a bound volume is only marked for deletion. */
export const pvTerminatingBound = objectRule('PersistentVolume', {
  cause: 'pv-terminating-bound',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isHeldBy(v, pvProtection) || v.object.status?.phase !== 'Bound') return undefined;
    const binding = bindingOf(v);
    return {
      summary: `${deletedVolumeWords(v)} while it was bound to ${ownerWords(v, binding)}${dataWords(v)}`,
      evidence: evidenceOf(v, binding),
      fix: fixesFor(v, binding),
    };
  },
});

function bindingOf(v: VolumeSubject): Binding {
  const { namespace, name } = v.object.spec?.claimRef ?? {};
  const claim = namespace !== undefined && name ? new ClaimCase(v.ask, namespace, name) : undefined;
  return {
    claim,
    isLeaving: claim?.claim?.metadata.deletionTimestamp !== undefined,
    isMissing: claim?.lookup.state === 'missing',
    holders: claim && isPresent(claim) ? holdersOf(claim).items : [],
  };
}

function ownerWords(v: VolumeSubject, { claim, isLeaving, isMissing, holders }: Binding): string {
  const owner = claim ? `pvc/${claim.name} in namespace ${claim.namespace}` : 'a claim';
  if (isMissing) return `${owner}, which no longer exists: the volume controller has not noticed yet.`;
  const held = holders.length > 0 ? `, held by ${podNames(holders)}` : '';
  if (isLeaving) return `${owner}, which is being deleted too${held}. It goes after its claim.`;
  // external-attacher refuses a volume that is being deleted; what needs no attacher is mounted as before.
  const attach = v.object.spec?.csi ? ', and no new pod can attach it until then' : '';
  const running = holders.length > 0 ? ` ${podNames(holders)} ${holders.length > 1 ? 'keep' : 'keeps'} working.` : '';
  return `${owner}. It stays until that claim is gone${attach}; this is by design.${running}`;
}

function dataWords(v: VolumeSubject): string {
  return isAtRisk(v.object)
    ? ` Its policy is ${policyOf(v.object)}: the data goes with it.`
    : ' Its policy is Retain: the data stays.';
}

function evidenceOf(v: VolumeSubject, binding: Binding): Explanation['evidence'] {
  return [
    ...deletionEvidence(v.object),
    field(v.object, 'status.phase'),
    field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)),
    ...claimEvidence(v, binding),
    ...binding.holders.slice(0, 3).map((pod) => note(pod, `uses the claim, phase ${pod.status?.phase ?? 'unknown'}`)),
  ];
}

function claimEvidence(v: VolumeSubject, { claim, isLeaving, isMissing }: Binding): Evidence[] {
  if (!claim) return [];
  if (claim.claim) return [note(claim.claim, isLeaving ? 'is being deleted' : 'is bound to the volume')];
  if (isMissing) return [absent('PersistentVolumeClaim', claim.name, claim.namespace)];
  return [field(v.object, 'spec.claimRef.name')];
}

function fixesFor(v: VolumeSubject, { claim, isMissing, isLeaving, holders }: Binding): Fix[] {
  if (isMissing) {
    const lease = staleManagerLease(v.ask);
    const then = 'The volume is then released and goes.';
    return dataFirst(v.object, [lease ? startManagerFix(v.ask, lease, then) : testUpdateFix(v.ask, v.object, then)]);
  }
  if (!claim || !isPresent(claim))
    return [retainFix(v.name, 'Set the policy to Retain, which keeps the data whatever happens to claim and volume.')];
  const holding = holders.length > 0 ? ` It goes when ${podNames(holders)} is gone.` : '';
  const drop = steps(
    `Delete the claim, if the data is not needed: the volume goes after it.${holding}`,
    [saveCommand(claim.claim), kubectl('delete', claim.claim, '--wait=false')],
    isAtRisk(v.object) ? 'data-loss' : 'disruptive',
  );
  return [rescueVolumeFix(claim, v.object, holders), ...(isLeaving ? [] : [drop])];
}
