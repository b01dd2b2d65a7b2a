import type { Rule } from '../lib/rule.ts';
import { resizeBindingBroken } from './resize-binding-broken.ts';
import { resizeBlocksMount } from './resize-blocks-mount.ts';
import { resizeControllerError } from './resize-controller-error.ts';
import { resizeControllerInfeasible } from './resize-controller-infeasible.ts';
import { resizeControllerInProgress } from './resize-controller-in-progress.ts';
import {
  resizeFsPendingNoPod,
  resizeFsPendingPodRunning,
  resizeReadonly,
  resizeRwxNodeExpansion,
} from './resize-fs-pending.ts';
import { resizeMigratedWaiting, resizeNoResizer } from './resize-no-resizer.ts';
import { resizeNodeError, resizeNodeInfeasible } from './resize-node-error.ts';
import { resizeOfflineOnly } from './resize-offline-only.ts';
import { resizeSecretMissing } from './resize-secret-missing.ts';

/** A claim grows: in the order of judgement. Advice stands first, since a proven cause ends the search. */
export const expandStageRules: readonly Rule[] = [
  resizeReadonly,
  resizeRwxNodeExpansion,
  resizeBindingBroken,
  resizeSecretMissing,
  resizeNodeInfeasible,
  resizeControllerInfeasible,
  resizeOfflineOnly,
  resizeControllerError,
  resizeNodeError,
  resizeNoResizer,
  resizeMigratedWaiting,
  resizeFsPendingPodRunning,
  resizeFsPendingNoPod,
  resizeControllerInProgress,
];

/** A growth that keeps a pod from starting: its words are plainer than those of the mount that fails for it. */
export const expandAtMountRules: readonly Rule[] = [resizeBlocksMount];
