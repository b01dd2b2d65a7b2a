import type { Rule } from '../lib/rule.ts';
import { groupsnapFailed } from './groupsnap-failed.ts';
import { snapAbandoned, snapUntouched } from './snap-controller-down.ts';
import { snapCrdsMissing } from './snap-crds-missing.ts';
import { snapManagedByNodeGone } from './snap-managed-by-node-gone.ts';
import { snapSecretMissing } from './snap-secret-missing.ts';
import { snapSidecarDown } from './snap-sidecar-down.ts';
import { snapValidation } from './snap-validation.ts';
import {
  snapClassDriverMismatch,
  snapClassMissing,
  snapDefaultClassMultiple,
  snapDefaultClassNone,
} from './snapshot-class.ts';
import {
  snapContentMisbound,
  snapContentMismatch,
  snapContentMissing,
  snapContentRetained,
} from './snapshot-content.ts';
import {
  snapCreateFailed,
  snapCreateInFlight,
  snapErrorStale,
  snapNotReady,
  snapStatusCheckFailed,
} from './snapshot-progress.ts';
import {
  snapSourceNotBound,
  snapSourceNotCsi,
  snapSourcePvcDeleting,
  snapSourcePvcMissing,
} from './snapshot-source.ts';

/** A snapshot is taken and becomes ready: in the order of judgement, which is that of the controller and then of the sidecar. */
export const snapshotStageRules: readonly Rule[] = [
  ...snapCrdsMissing,
  ...snapValidation,
  snapUntouched,
  ...snapClassMissing,
  snapSourcePvcMissing,
  snapSourcePvcDeleting,
  snapSourceNotBound,
  snapSourceNotCsi,
  snapDefaultClassNone,
  snapDefaultClassMultiple,
  snapContentMissing,
  ...snapContentMismatch,
  ...snapContentMisbound,
  snapContentRetained,
  ...snapClassDriverMismatch,
  snapAbandoned,
  ...snapManagedByNodeGone,
  ...snapSidecarDown,
  ...snapSecretMissing,
  ...snapStatusCheckFailed,
  ...snapCreateFailed,
  ...snapCreateInFlight,
  ...snapNotReady,
  ...snapErrorStale,
  ...groupsnapFailed,
];
