import type { Node, Volume } from '../../kube/kinds.ts';
import { field, note } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { describeReach, fitsAffinity, isNodeLocal } from '../../facts/volume/volume-reach.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { forgetFix, releasedWords } from './volume-words.ts';

/** The node of a local volume that is no longer in the cluster. */
export interface LostNode {
  /** Its name, or the node affinity in words. */
  readonly place: string;
  readonly remaining: readonly Node[];
}

export function findLostNode(v: VolumeSubject): LostNode | undefined {
  if (v.object.spec?.nodeAffinity?.required === undefined) return undefined;
  const { items: nodes, complete } = v.ask.list('Node', undefined, `whether the node of pv/${v.name} still exists`);
  if (
    !complete ||
    nodes.length === 0 ||
    !isNodeLocal(v.object, nodes) ||
    nodes.some((node) => fitsAffinity(v.object, node))
  )
    return undefined;
  // A node that has only lost its label is still there.
  const names = nodeNamesOf(v.object);
  if (nodes.some((node) => names.includes(node.metadata.name))) return undefined;
  return { place: names.length > 0 ? names.join(', ') : describeReach(v.object), remaining: nodes };
}

/** The nodes that the volume's affinity names. */
export function nodeNamesOf({ spec }: Volume): string[] {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return [
    ...new Set(
      terms.flatMap(({ matchExpressions = [] }) =>
        matchExpressions
          .filter(({ key = '', operator }) => operator === 'In' && !/zone|region/i.test(key))
          .flatMap(({ values = [] }) => values),
      ),
    ),
  ];
}

export function explainLostNode(v: VolumeSubject, { place, remaining }: LostNode, because: string): Explanation {
  const names = remaining.slice(0, 5).map(({ metadata }) => metadata.name);
  const more = remaining.length > 5 ? ` and ${remaining.length - 5} more` : '';
  return {
    about: place,
    summary: `${releasedWords(v)} and cannot be deleted: it was on ${place}, which is no longer in the cluster. ${because}`,
    evidence: [
      field(v.object, 'spec.nodeAffinity.required', describeReach(v.object)),
      note(v.object, `nodes that exist: ${names.join(', ')}${more}`),
      field(v.object, 'status.phase'),
    ],
    fix: [
      forgetFix(
        v,
        `Remove the volume object, if ${place} does not come back: the data was on its disks. With Retain, nothing waits for the backend.`,
      ),
      steps(
        `Start ${place} again under the same name, if it still exists: the volume is then deleted automatically, with its data.`,
        [],
        'data-loss',
      ),
    ],
  };
}
