import type { Rule } from '../../../journey/rule.ts';

/** The driver is not, or not rightly, on the node of the pod: in the order of judgement. */
export const registrationRules: readonly Rule[] = [];
