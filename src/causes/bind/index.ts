import type { Rule } from '../../journey/rule.ts';

/** A volume and the claim find each other: in the order of judgement. */
export const bindStageRules: readonly Rule[] = [];
