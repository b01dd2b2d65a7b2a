import type { Rule } from '../../journey/rule.ts';
import { scMissing } from './sc-missing.ts';

/** The claim exists and its class is settled: in the order of judgement. */
export const claimStageRules: readonly Rule[] = [scMissing];
