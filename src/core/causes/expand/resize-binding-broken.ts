import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { growthEvidence, mergePatch, volumeOf } from './expansion.ts';

/** external-resizer pvCanBeExpanded: a volume whose claimRef is not this very claim is skipped silently. */
export const resizeBindingBroken = claimRule({
  cause: 'resize-binding-broken',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const volume = volumeOf(c);
    const { uid } = c.claim.metadata;
    if (!volume || uid === undefined) return undefined;
    const reference = volume.spec?.claimRef;
    if (reference?.uid === uid && reference.namespace === c.namespace) return undefined;
    return {
      summary: `pv/${volume.metadata.name} says that it belongs to ${holderText(c, volume)}, so the resizer passes it over`,
      evidence: [field(volume, 'spec.claimRef'), field(c.claim, 'metadata.uid'), ...growthEvidence(c)],
      fix: adviceFor(c, volume, uid),
    };
  },
});

function holderText(c: PresentClaim, volume: Volume): string {
  const { name, namespace, uid } = volume.spec?.claimRef ?? {};
  if (!name) return 'no claim';
  if (name === c.name && namespace === c.namespace)
    return `an earlier claim of the same name (uid ${uid ?? 'not set'})`;
  return `pvc/${name} in namespace ${namespace ?? ''}`;
}

function adviceFor(c: PresentClaim, { metadata: { name } }: Volume, uid: string): Fix[] {
  return [
    fix(
      'find out which claim owns the data before anything is changed',
      `kubectl get pv ${shellWord(name)} -o jsonpath='{.spec.claimRef}'`,
    ),
    fix(
      'if it is this claim, write its uid into the volume',
      `kubectl patch pv ${shellWord(name)} --type=merge -p ${mergePatch({ spec: { claimRef: { namespace: c.namespace, name: c.name, uid } } })}`,
      'disruptive',
    ),
  ];
}
