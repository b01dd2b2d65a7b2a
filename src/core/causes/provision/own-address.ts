import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { apiServerIn, isLoopback } from '../lib/driver-error/senses/api-server.ts';
import { addressIn } from '../lib/driver-error/senses/network.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { steps } from '../lib/steps.ts';
import { driverSettingsOf } from './driver-settings.ts';
import type { ProvisionError } from './provision-error.ts';

/** The address that could not be reached, where it leads the driver back to its own pod or node. */
export function ownAddressIn({ text, sense }: ProvisionError): string | undefined {
  const address = sense?.about === 'network' ? (apiServerIn(text) ?? addressIn(text)) : undefined;
  return address !== undefined && isLoopback(address) ? address : undefined;
}

export function ownAddressMeaning(c: PresentClaim, address: string): string {
  const isOnHost = driverSettingsOf(c)?.pod.spec?.hostNetwork === true;
  return `${address} is the driver's own ${isOnHost ? 'node' : 'pod'}, so the address that it was given is wrong`;
}

/** The address is where the class or the settings of the driver have it. */
export function correctAddress(c: PresentClaim, { text }: ProvisionError, address: string): Fix {
  const what =
    apiServerIn(text) === undefined
      ? 'the address of the storage'
      : 'the address of the Kubernetes API that it is to ask (for a driver of virtual machines, that of the cluster that runs them)';
  const [key, value] =
    Object.entries(c.storageClassObject?.parameters ?? {}).find(([, each]) =>
      each.includes(address.split(':')[0] ?? address),
    ) ?? [];
  if (key !== undefined && value !== undefined)
    return recreateClass(c, `with ${what} in ${key} (PLACEHOLDER_ADDRESS; now ${value})`, {
      parameters: { [key]: 'PLACEHOLDER_ADDRESS' },
    });
  const settings = driverSettingsOf(c);
  return steps(
    `Write ${what} instead of ${address} into ${settings?.words ?? 'the settings of the driver'}${settings?.words === undefined ? '' : ', on every node or in the Secret or ConfigMap from which it comes,'} and restart the controller. Waiting claims are then provisioned.`,
    settings?.restart === undefined ? [] : [settings.restart],
    'disruptive',
  );
}

/** Where the driver has the address from. */
export function ownAddressEvidence(c: PresentClaim, error: ProvisionError): Evidence[] {
  const settings = ownAddressIn(error) === undefined ? undefined : driverSettingsOf(c);
  return settings?.path === undefined
    ? []
    : [field(settings.pod, `spec.containers[${settings.container}].args[--${settings.flag}]`, settings.path)];
}
