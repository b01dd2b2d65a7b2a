import type { Rule } from '../../journey/rule.ts';

/** Volumes come to and leave their nodes: in the order of judgement. */
export const attachStageRules: readonly Rule[] = [];
