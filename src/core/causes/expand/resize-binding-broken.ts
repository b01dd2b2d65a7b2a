import { field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { growthEvidence, mergePatch, volumeOf } from './expansion.ts';

/** external-resizer pvCanBeExpanded: a volume whose claimRef is not this very claim is passed over without a word. */
export const resizeBindingBroken = claimRule({
  cause: 'resize-binding-broken',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const volume = volumeOf(c);
    const { uid } = c.claim.metadata;
    if (!volume || uid === undefined) return undefined;
    const held = volume.spec?.claimRef;
    if (held?.uid === uid && held.namespace === c.namespace) return undefined;
    const holder = !held?.name
      ? 'no claim'
      : held.name === c.name && held.namespace === c.namespace
        ? `an earlier claim of the same name (uid ${held.uid ?? 'not set'})`
        : `pvc/${held.name} in namespace ${held.namespace ?? ''}`;
    return {
      summary: `pv/${volume.metadata.name} says that it belongs to ${holder}, so the resizer passes it over`,
      evidence: [field(volume, 'spec.claimRef'), field(c.claim, 'metadata.uid'), ...growthEvidence(c)],
      fix: [
        fix(
          'find out which claim owns the data before anything is changed',
          `kubectl get pv ${shellWord(volume.metadata.name)} -o jsonpath='{.spec.claimRef}'`,
        ),
        fix(
          'if it is this claim, write its uid into the volume',
          `kubectl patch pv ${shellWord(volume.metadata.name)} --type=merge -p ${mergePatch({ spec: { claimRef: { namespace: c.namespace, name: c.name, uid } } })}`,
          'disruptive',
        ),
      ],
    };
  },
});
