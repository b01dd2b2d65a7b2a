import { componentOf, lastSeen, newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { ControllerTrouble } from '../../facts/driver/controller-health.ts';
import type { Explanation } from '../lib/rule.ts';
import { driverOfInTree, inTreePrefix, isMigratedByDefault, versionOf } from './in-tree.ts';
import { waitsForProvisionerText } from '../lib/driver-error/sentences/volume-controller.ts';

/** The component that must create the volume. */
export interface Provisioner {
  readonly name: string;
  /** The name in the class, where CSI migration turns it into a driver's. */
  readonly inTree?: string;
  /** A CSI driver with the external-provisioner next to it; a name with a slash cannot be one. */
  readonly isCsi: boolean;
}

export const volumeController = 'persistentvolume-controller';

export function provisionerOf(c: ClaimCase): Provisioner | undefined {
  return c.once(findProvisioner);
}

function findProvisioner(c: ClaimCase): Provisioner | undefined {
  const named = c.provisioner ?? (c.storageClass?.state === 'unknown' ? c.askedProvisioner : undefined);
  if (named === undefined) return undefined;
  const driver = driverOfInTree(named);
  if (driver !== undefined) {
    const isMigrated =
      c.askedProvisioner === driver ||
      c.annotation('pv.kubernetes.io/migrated-to') === driver ||
      (c.askedProvisioner === undefined && isMigratedByDefault(named, versionOf(c.ask)));
    return isMigrated ? { name: driver, inTree: named, isCsi: true } : { name: named, isCsi: false };
  }
  return { name: named, isCsi: !named.includes('/') };
}

export function isInTree(provisioner: Provisioner): boolean {
  return provisioner.name.startsWith(inTreePrefix);
}

/** The component that must create the volume, unless kube-controller-manager does so itself. */
export function externalProvisionerOf(c: ClaimCase): Provisioner | undefined {
  const provisioner = provisionerOf(c);
  return provisioner && isInTree(provisioner) ? undefined : provisioner;
}

/** The provisioner's pods and lease; found once for each case, since several rules look at it. */
export function controllerOf(c: ClaimCase, provisioner: Provisioner): DriverController {
  return c.once(findOwnController) ?? findController(c.ask, provisioner.name, 'provisioner');
}

function findOwnController(c: ClaimCase): DriverController | undefined {
  const provisioner = provisionerOf(c);
  return provisioner && findController(c.ask, provisioner.name, 'provisioner');
}

export function explainTrouble({ name }: Provisioner, { words, evidence, fix }: ControllerTrouble): Explanation {
  return { about: name, summary: `The provisioner of ${name} ${words}.`, evidence, fix };
}

/** The events of the provisioner itself; the volume controller writes events on the claim too. */
export function spokenBy(c: ClaimCase): readonly KubeEvent[] {
  return c.events.items.filter(isSpoken);
}

/** An event of a provisioner, not of the volume controller. */
export function isSpoken(event: KubeEvent): boolean {
  return (
    /^Provisioning/.test(event.reason ?? '') && componentOf(event) !== '' && componentOf(event) !== volumeController
  );
}

/** A live provisioner retries, and reports it, at least every five minutes. */
const longestSilenceSeconds = 600;

/** Whether the provisioner reported something lately, and later than its lease was renewed. */
export function hasSpokenLately(c: ClaimCase, since?: string): boolean {
  const earliest = Math.max(c.now - longestSilenceSeconds * 1000, (parseTime(since) ?? 0) + 15_000);
  return spokenBy(c).some((event) => lastSeen(event) >= earliest);
}

/** Two events of one attempt may differ by some seconds. */
const sameAttemptMs = 5000;

/** The last refusal, if its text fits; an older one that was followed by another kind of refusal is overcome. */
export function failure(c: ClaimCase, pattern: RegExp): EventMatch | undefined {
  const found = newestMatch(c.events.items, 'ProvisioningFailed', pattern);
  const last = found && newestMatch(c.events.items, 'ProvisioningFailed', /^/);
  return last && lastSeen(found.event) >= lastSeen(last.event) - sameAttemptMs ? found : undefined;
}

/** The provisioner reported a failure; those of the volume controller, before it found a provisioner, do not count. */
export function hasFailed(c: ClaimCase): boolean {
  return c.events.items.some(
    (event) => event.reason === 'ProvisioningFailed' && componentOf(event) !== volumeController,
  );
}

/** The event in which the volume controller reports that it waits for an external provisioner. */
export function waitsForExternal(c: ClaimCase): EventMatch | undefined {
  return newestMatch(c.events.items, 'ExternalProvisioning', waitsForProvisionerText);
}

/** How long a provisioner could have been at work. */
export function waitedSeconds(c: ClaimCase): number {
  const since = parseTime(c.provisionableSince);
  return since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (c.now - since) / 1000);
}
