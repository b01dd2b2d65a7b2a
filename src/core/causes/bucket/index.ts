import type { Rule } from '../lib/rule.ts';
import { bucketBoundMissing } from './bucket-bound-missing.ts';
import { bucketClaimNotConverging } from './bucket-claim-not-converging.ts';
import { bucketClassEmpty } from './bucket-class-empty.ts';
import { bucketClassMissing } from './bucket-class-missing.ts';
import { bucketControllerDown } from './bucket-controller-down.ts';
import { bucketCrdsMissing } from './bucket-crds-missing.ts';
import { bucketCreateFailed } from './bucket-create-failed.ts';
import { bucketDeleteStuck } from './bucket-delete-stuck.ts';
import { bucketDriverNotRunning } from './bucket-driver-not-running.ts';
import { bucketDriverSilent } from './bucket-driver-silent.ts';
import { bucketProtocolUnsupported } from './bucket-protocol-unsupported.ts';
import { bucketStaticClaimed } from './bucket-static-claimed.ts';
import { bucketStaticWaiting } from './bucket-static-waiting.ts';
import { bucketaccessClassMissing } from './bucketaccess-class-missing.ts';
import { bucketaccessFeatureDisallowed } from './bucketaccess-feature-disallowed.ts';
import { bucketaccessGrantFailed } from './bucketaccess-grant-failed.ts';
import { bucketaccessSecretConflict } from './bucketaccess-secret-conflict.ts';
import { bucketaccessWaitsClaim } from './bucketaccess-waits-claim.ts';

/**
 * A bucket is created and access to it granted: in the order of judgement, which is the order in which controller and
 * sidecar act.
 */
export const bucketStageRules: readonly Rule[] = [
  ...bucketCrdsMissing,
  bucketBoundMissing,
  bucketStaticWaiting,
  bucketStaticClaimed,
  bucketClassEmpty,
  bucketClassMissing,
  bucketaccessClassMissing,
  bucketaccessFeatureDisallowed,
  bucketaccessWaitsClaim,
  ...bucketControllerDown,
  ...bucketProtocolUnsupported,
  bucketaccessSecretConflict,
  ...bucketDriverNotRunning,
  ...bucketCreateFailed,
  bucketaccessGrantFailed,
  ...bucketDriverSilent,
  bucketClaimNotConverging,
];

/** A claim, a Bucket or an access is being deleted and remains. */
export const bucketDeletionRules: readonly Rule[] = [...bucketDeleteStuck];
