import type { Kind } from '../kube/kinds.ts';
import type { Selection } from '../kube/selection.ts';
import { onlySomeInDump } from '../kube/snapshot.ts';
import type { Snapshot } from '../kube/snapshot.ts';
import { resourceOf } from '../kube/resources.ts';
import { graphOf } from '../graph/cluster-graph.ts';
import { searchedScopes } from './targets.ts';

/** Kinds of which most clusters have objects that can be stuck; without claims and pods a search is inconclusive anyway. */
const usualKinds: ReadonlySet<Kind> = new Set<Kind>([
  'StatefulSet',
  'PersistentVolume',
  'VolumeAttachment',
  'VolumeSnapshot',
  'Node',
]);

/** What a search would have looked through if the dump had it. */
export function unsearchedKinds(snapshot: Snapshot, selection: Selection): readonly string[] {
  // A capture holds what its question needed, and says what it could not read.
  if (selection.targets !== undefined || snapshot.source.type !== 'files') return [];
  const { coverage } = graphOf(snapshot);
  const kinds = searchedScopes(selection).flatMap(({ kind, scope }) => {
    const { state, message } = coverage.of(kind, scope);
    return usualKinds.has(kind) && (state === 'unread' || message === onlySomeInDump) ? [resourceOf(kind).name] : [];
  });
  return [...new Set(kinds)];
}
