import type { Inquiry } from '../../graph/inquiry.ts';
import { ObjectCase } from '../../facts/object-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { snapshotStageRules } from '../snapshot/index.ts';
import type { Snapshot } from './restore-source.ts';

/** What keeps the snapshot itself from being ready: the first cause that blocks it, as its own diagnosis would say. */
export function obstacleOf(ask: Inquiry, snapshot: Snapshot): Explanation | undefined {
  const subject = new ObjectCase(ask, snapshot);
  for (const rule of snapshotStageRules) {
    if (rule.on !== 'VolumeSnapshot' || rule.severity !== 'blocking') continue;
    const found = rule.explain(subject);
    if (found && (found.severity ?? 'blocking') === 'blocking') return found;
  }
  return undefined;
}
