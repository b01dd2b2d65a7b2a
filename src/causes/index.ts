import type { Rule } from '../journey/rule.ts';
import { bindStageRules } from './bind/index.ts';
import { claimStageRules } from './claim/index.ts';
import { provisionStageRules } from './provision/index.ts';
import { scheduleStageRules } from './schedule/index.ts';

/** Every rule. Within a stage the order is the order of judgement (causes.md §1): the first that fires is the cause. */
export const rules: readonly Rule[] = [...claimStageRules, ...provisionStageRules, ...bindStageRules, ...scheduleStageRules];
