import type { Rule } from '../../journey/rule.ts';

/** A snapshot is taken and becomes ready: in the order of judgement. */
export const snapshotStageRules: readonly Rule[] = [];
