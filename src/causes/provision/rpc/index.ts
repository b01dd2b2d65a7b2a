import type { Rule } from '../../../journey/rule.ts';

/** What the driver answered to CreateVolume (causes.md G5 j). */
export const rpcRules: readonly Rule[] = [];
