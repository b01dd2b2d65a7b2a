import type { Rule } from '../../journey/rule.ts';

/** A claim changes its attributes class: in the order of judgement. */
export const modifyStageRules: readonly Rule[] = [];
