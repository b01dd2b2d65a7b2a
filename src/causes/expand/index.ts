import type { Rule } from '../../journey/rule.ts';

/** A claim grows: in the order of judgement. */
export const expandStageRules: readonly Rule[] = [];
