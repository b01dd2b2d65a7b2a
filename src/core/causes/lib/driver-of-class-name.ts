import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { noProvisioner } from '../../facts/class/storage-class.ts';
import { likenessOfWords } from '../../facts/driver/driver-pods.ts';
import { driversAtHand } from '../../facts/driver/node-plugin.ts';
import { note } from '../../facts/evidence.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { recreateClass } from './remake-class.ts';

/**
 * The one driver of the cluster after which a class without a provisioner is named: `topolvm` for topolvm.io. Then the
 * class was most likely meant for that driver, which creates volumes, and not for volumes made by hand.
 */
export function driverOfClassName(c: PresentClaim): string | undefined {
  if (c.storageClassObject?.provisioner !== noProvisioner) return undefined;
  const isOfClass = c.ask.seen('PersistentVolume').some(({ spec }) => spec?.storageClassName === c.class.name);
  if (isOfClass) return undefined;
  const [driver, ...others] = [...driversAtHand(c.ask)].filter(
    (name) => name === c.class.name || likenessOfWords(c.class.name, undefined, name) === 1,
  );
  return others.length === 0 ? driver : undefined;
}

/** ` Driver x is installed, and this class never asks it.` */
export function driverOfClassText(driver: string): string {
  return ` Driver ${driver} is installed, and this class never asks it: its provisioner is ${noProvisioner}.`;
}

export function driverOfClassEvidence(c: PresentClaim, driver: string): Evidence[] {
  const object = c.ask.seen('CSIDriver').find(({ metadata }) => metadata.name === driver);
  return object ? [note(object, 'the driver is installed')] : [];
}

export function giveProvisioner(c: PresentClaim, driver: string): Fix {
  return recreateClass(
    c,
    `with provisioner ${driver}`,
    { provisioner: driver },
    `The claim stays, and ${c.isDelayed ? 'a node is then chosen and the volume provisioned' : 'its volume is then provisioned'} automatically. If the documentation of ${driver} asks for parameters or allowedTopologies, add them to the saved file before the last line.`,
  );
}
