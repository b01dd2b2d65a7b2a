import type { Rule } from '../journey/rule.ts';
import { attachStageRules } from './attach/index.ts';
import { bindStageRules } from './bind/index.ts';
import { claimStageRules } from './claim/index.ts';
import { deleteStageRules } from './delete/index.ts';
import { expandAtMountRules, expandStageRules } from './expand/index.ts';
import { modifyStageRules } from './modify/index.ts';
import { healthRules } from './mount/health/index.ts';
import { mountStageRules } from './mount/index.ts';
import { provisionStageRules } from './provision/index.ts';
import { scheduleStageRules } from './schedule/index.ts';
import { snapshotStageRules } from './snapshot/index.ts';

/** Every rule. Within a stage the order is the order of judgement: the first that fires is the cause. */
export const rules: readonly Rule[] = [
  // Advice first: a proven cause ends the search through its stage.
  ...healthRules,
  ...claimStageRules,
  ...bindStageRules,
  ...provisionStageRules,
  ...scheduleStageRules,
  ...attachStageRules,
  ...expandAtMountRules,
  ...mountStageRules,
  ...expandStageRules,
  ...modifyStageRules,
  ...snapshotStageRules,
  ...deleteStageRules,
];
