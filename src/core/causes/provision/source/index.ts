import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
import type { ClaimRule } from '../../lib/rule.ts';
import { cloneRules } from './clone.ts';
import { populatorRules } from './datasource-populator.ts';
import { referenceRules } from './reference.ts';
import { restoreRules } from './restore.ts';

/** The snapshot, claim or populator that the volume is to be made from. */
export const sourceRules: readonly ClaimRule[] = [...referenceRules, ...restoreRules, ...cloneRules, ...populatorRules];

/** The source is on its way, so that nobody who keeps silent meanwhile is to blame. */
export function waitsForSource(c: PresentClaim): boolean {
  return sourceRules.some((rule) => (rule.explain(c)?.severity ?? 'blocking') === 'info');
}
