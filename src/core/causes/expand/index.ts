import type { Rule } from '../lib/rule.ts';
import { resizeBindingBroken } from './resize-binding-broken.ts';
import { resizeBlocksMount } from './resize-blocks-mount.ts';
import { resizeControllerError } from './resize-controller-error.ts';
import { resizeControllerInProgress } from './resize-controller-in-progress.ts';
import { resizeControllerInfeasible } from './resize-controller-infeasible.ts';
import { resizeFsPendingNoPod } from './resize-fs-pending-no-pod.ts';
import { resizeFsPendingPodRunning } from './resize-fs-pending-pod-running.ts';
import { resizeMigratedWaiting } from './resize-migrated-waiting.ts';
import { resizeNoResizer } from './resize-no-resizer.ts';
import { resizeNodeError } from './resize-node-error.ts';
import { resizeNodeInfeasible } from './resize-node-infeasible.ts';
import { resizeOfflineOnly } from './resize-offline-only.ts';
import { resizeReadonly } from './resize-readonly.ts';
import { resizeRwxNodeExpansion } from './resize-rwx-node-expansion.ts';
import { resizeSecretMissing } from './resize-secret-missing.ts';

/** A claim is expanded: in the order of judgement. Advice comes first, since a proven cause ends the search. */
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

/** An expansion that keeps a pod from starting: it says more than the failed mount that follows from it. */
export const expandAtMountRules: readonly Rule[] = [resizeBlocksMount];
