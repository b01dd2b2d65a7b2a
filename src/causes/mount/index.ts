import type { Rule } from '../../journey/rule.ts';

/** The kubelet and the driver on the node bring the volume into the pod: in the order of judgement. */
export const mountStageRules: readonly Rule[] = [];
