import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { restartDriverPod } from '../lib/restart-driver.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';

/** Restarts the pod that holds the driver next to its provisioner. */
export function restartDriver(c: PresentClaim, askFirst = ''): Fix[] {
  const provisioner = externalProvisionerOf(c);
  return provisioner ? [restartDriverPod(controllerOf(c, provisioner), { isCsi: provisioner.isCsi, askFirst })] : [];
}
