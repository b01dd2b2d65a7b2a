import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { holdersOf, nameSome } from './claim-holders.ts';
import { deletionEvidence, pvProtection } from './finalizers.ts';
import { isHeldBy, policyOf, retainFix } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

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
    const { claim } = binding;
    const owner = claim ? `pvc/${claim.name} in namespace ${claim.namespace}` : 'a claim';
    return {
      summary: `pv/${v.name} is being deleted while it is bound to ${owner}${claimWords(binding)}: it goes only after its claim, and no new pod can attach it any more`,
      evidence: evidenceOf(v, binding),
      fix: fixesFor(v, binding),
    };
  },
});

function bindingOf(v: VolumeSubject): Binding {
  const { namespace, name } = v.object.spec?.claimRef ?? {};
  const claim = namespace !== undefined && name ? new ClaimCase(v.ask, namespace, name) : undefined;
  const isLeaving = claim?.claim?.metadata.deletionTimestamp !== undefined;
  return {
    claim,
    isLeaving,
    isMissing: claim?.lookup.state === 'missing',
    holders: claim && isLeaving && isPresent(claim) ? holdersOf(claim).items : [],
  };
}

function claimWords({ isLeaving, isMissing, holders }: Binding): string {
  if (isLeaving) return `, which is itself being deleted${holderWords(holders)}`;
  return isMissing ? ', which no longer exists: the volume controller has not noticed yet' : '';
}

function holderWords(holders: readonly Pod[]): string {
  return holders.length > 0 ? ` and held by ${nameSome(holders.map((pod) => `pod/${pod.metadata.name}`))}` : '';
}

function evidenceOf(v: VolumeSubject, binding: Binding): Explanation['evidence'] {
  return [
    ...deletionEvidence(v.object),
    field(v.object, 'status.phase'),
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

function fixesFor(v: VolumeSubject, { claim, isLeaving, isMissing }: Binding): Fix[] {
  return [
    ...(policyOf(v.object) === 'Delete'
      ? [retainFix(v.name, 'if the data is still needed: keep it in the backend, whatever happens to claim and volume')]
      : []),
    ...(claim && isLeaving
      ? [
          fix(
            'see what holds the claim',
            `kubectl csi why pvc/${shellWord(claim.name)} -n ${shellWord(claim.namespace)}`,
          ),
        ]
      : []),
    ...(claim && !isLeaving && !isMissing ? [deleteClaimFix(v, claim)] : []),
  ];
}

function deleteClaimFix(v: VolumeSubject, claim: ClaimCase): Fix {
  const text = 'delete the claim, after the pods that use it: a deletion cannot be taken back';
  const command = `kubectl ${inNamespace(claim.namespace)}delete pvc ${shellWord(claim.name)}`;
  return policyOf(v.object) === 'Retain'
    ? fix(text, command, 'disruptive')
    : fix(`data-loss: ${text}`, command, 'data-loss');
}
