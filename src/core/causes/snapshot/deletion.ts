import type { Rule } from '../lib/rule.ts';
import {
  snapDeleteFailed,
  snapDeleteNoAnnotation,
  snapDeleteSidecarDown,
  snapDeleteWaitsCreate,
} from './content-deletion.ts';
import {
  snapControllerDownOnDelete,
  snapDeleteFinalizerLeft,
  snapDeleteGroupMember,
  snapDeleteRestoring,
  snapSourceFinalizerOrphan,
} from './snapshot-holders.ts';
import { snapManagedByNodeGoneOnDelete } from './snap-managed-by-node-gone.ts';
import { snapSecretMissingOnDelete } from './snap-secret-missing.ts';

/** A snapshot or its content is deleted and does not go: first who holds the snapshot, then what became of the content. */
export const snapshotDeletionRules: readonly Rule[] = [
  snapDeleteRestoring,
  snapDeleteGroupMember,
  snapControllerDownOnDelete,
  snapDeleteNoAnnotation,
  ...snapManagedByNodeGoneOnDelete,
  ...snapDeleteSidecarDown,
  ...snapDeleteWaitsCreate,
  ...snapSecretMissingOnDelete,
  ...snapDeleteFailed,
  snapDeleteFinalizerLeft,
  snapSourceFinalizerOrphan,
];
