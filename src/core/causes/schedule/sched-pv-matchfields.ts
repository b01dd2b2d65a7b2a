import { field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';

/**
 * The scheduler compares a volume with the labels of a node alone and passes over matchFields (CheckNodeAffinity), so
 * that the volume looks usable everywhere. A warning: what blocks is what then fails on the wrong node.
 */
export const schedPvMatchfields = claimRule({
  cause: 'sched-pv-matchfields',
  stage: 'schedule',
  severity: 'warning',
  explain(c) {
    // Only a volume that is at hand anyway: a healthy claim is not worth a read.
    const volume = c.isBound ? c.ask.graph.find('PersistentVolume', undefined, c.volumeName) : undefined;
    const terms = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    const fields = terms.flatMap(({ matchFields = [] }) =>
      matchFields.map(({ key, operator, values }) =>
        `${key ?? ''} ${operator ?? ''} ${(values ?? []).join(', ')}`.trim(),
      ),
    );
    if (!volume || fields.length === 0) return undefined;
    return {
      summary: `pv/${volume.metadata.name} is pinned by matchFields (${fields.join('; ')}), which the scheduler ignores: pods may be sent to nodes that do not have the volume`,
      evidence: [field(volume, 'spec.nodeAffinity.required.nodeSelectorTerms[].matchFields', fields.join('; '))],
      fix: [
        fix(
          'look at the volume, and make it again with a matchExpressions term on kubernetes.io/hostname: the affinity of a volume cannot be changed once it is set',
          `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml`,
        ),
      ],
    };
  },
});
