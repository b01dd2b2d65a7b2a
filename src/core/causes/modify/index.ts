import type { Rule } from '../lib/rule.ts';
import { modifyNoResizer } from '../expand/resize-no-resizer.ts';
import { modifyError } from './modify-error.ts';
import { modifyInProgress } from './modify-in-progress.ts';
import { modifyInfeasible } from './modify-infeasible.ts';
import { modifyUnsupported } from './modify-unsupported.ts';
import { modifyVacMissing } from './modify-vac-missing.ts';
import { vacTerminatingInUse } from './vac-terminating-in-use.ts';

/** The VolumeAttributesClass of a claim is changed or deleted: in the order of judgement. */
export const modifyStageRules: readonly Rule[] = [
  modifyVacMissing,
  modifyInfeasible,
  modifyError,
  modifyNoResizer,
  modifyUnsupported,
  modifyInProgress,
  vacTerminatingInUse,
];
