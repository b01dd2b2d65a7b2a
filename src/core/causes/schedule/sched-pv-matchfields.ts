import type { Volume } from '../../kube/kinds.ts';
import { field } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import type { Fix } from '../../report/report.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';

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
      summary:
        `pv/${volume.metadata.name} is tied to its node by matchFields (${fields}), which the scheduler ignores. ` +
        'Pods may be scheduled on nodes that cannot use the volume.',
      evidence: [field(volume, 'spec.nodeAffinity.required.nodeSelectorTerms[].matchFields', fields)],
      fix: [replaceFields(c, volume)],
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

/** The node affinity of a volume is immutable, so the volume is recreated around its data. */
function replaceFields(c: PresentClaim, volume: Volume): Fix {
  const names = (volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) =>
    matchFields.flatMap(({ key, values }) => (key === 'metadata.name' ? (values ?? []) : [])),
  );
  const hosts = names.map(
    (name) => c.ask.graph.find('Node', undefined, name)?.metadata.labels?.['kubernetes.io/hostname'] ?? name,
  );
  const required = {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: hosts }] }],
  };
  const [pod] = c.ask.graph.podsUsing(c).filter((each) => !isTerminated(each));
  return steps(
    `Recreate pv/${volume.metadata.name} with a matchExpressions term on kubernetes.io/hostname: ` +
      'the node affinity of a volume cannot be changed once it is set. ' +
      'Retain keeps the data; the pod is down meanwhile.',
    pod ? recreateVolumeCommands(c.ask, volume, c.claim, pod, { spec: { nodeAffinity: { required } } }) : [],
    'disruptive',
  );
}
