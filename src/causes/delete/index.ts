import type { Rule } from '../../journey/rule.ts';

/** Something is deleted and goes: in the order of judgement. */
export const deleteStageRules: readonly Rule[] = [];
