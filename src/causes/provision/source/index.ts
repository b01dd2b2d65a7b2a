import type { Rule } from '../../../journey/rule.ts';

/** The snapshot, claim or populator that the volume is to be made from (causes.md G5 f). */
export const sourceRules: readonly Rule[] = [];
