import type { Volume } from '../../kube/kinds.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';

/**
 * The scheduler compares a volume's affinity with node labels only and ignores matchFields (CheckNodeAffinity), so the
 * volume looks usable everywhere. Only a warning: what blocks the pod is the mount that then fails on the wrong node.
 */
export const schedPvMatchfields = claimRule({
  cause: 'sched-pv-matchfields',
  stage: 'schedule',
  severity: 'warning',
  explain(c) {
    const pinned = findPinnedVolume(c);
    if (!pinned) return undefined;
    const { volume, fields } = pinned;
    return {
      summary: `pv/${volume.metadata.name} is pinned by matchFields (${fields}), which the scheduler ignores: pods may be sent to nodes that do not have the volume`,
      evidence: [field(volume, 'spec.nodeAffinity.required.nodeSelectorTerms[].matchFields', fields)],
      fix: [
        fix(
          'look at the volume, and make it again with a matchExpressions term on kubernetes.io/hostname: the affinity of a volume cannot be changed once it is set',
          `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml`,
        ),
      ],
    };
  },
});

/** Looks only at a volume that has been read already: a healthy claim is not worth another request. */
function findPinnedVolume(c: PresentClaim): { readonly volume: Volume; readonly fields: string } | undefined {
  const volume = c.isBound ? c.ask.graph.find('PersistentVolume', undefined, c.volumeName) : undefined;
  const terms = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const fields = terms.flatMap(({ matchFields = [] }) =>
    matchFields.map(({ key, operator, values }) =>
      `${key ?? ''} ${operator ?? ''} ${(values ?? []).join(', ')}`.trim(),
    ),
  );
  return volume && fields.length > 0 ? { volume, fields: fields.join('; ') } : undefined;
}
