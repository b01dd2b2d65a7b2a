import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { serviceHostIn, unresolvedTexts } from '../lib/driver-error/senses/network.ts';
import { reviveService } from '../lib/unanswered-webhook.ts';
import type { ServedBy } from '../lib/unanswered-webhook.ts';
import type { ProvisionError } from './provision-error.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';

/** A Service by its name alone is taken for one in the namespace of the driver. */
interface OwnService extends ServedBy {
  readonly isShort?: true;
}

/** A Service of the cluster that the driver could not reach: part of its own installation, and no storage outside. */
export function ownServiceIn(c: PresentClaim, { text, sense }: ProvisionError): OwnService | undefined {
  // A name without an address is a wrong name, or a matter of DNS.
  const host = sense?.about === 'network' && !unresolvedTexts.test(text) ? serviceHostIn(text) : undefined;
  if (!host) return undefined;
  const { service, namespace, isPlain } = host;
  const home = homeOf(c);
  if (namespace === undefined) return { service, namespace: home, isShort: true };
  const known = [home, ...namespacesOfClass(c), ...c.ask.seen('Namespace').map(({ metadata }) => metadata.name)];
  return isPlain || known.includes(namespace) ? { service, namespace } : undefined;
}

function homeOf(c: PresentClaim): string | undefined {
  const provisioner = externalProvisionerOf(c);
  const { leader, pods } = provisioner ? controllerOf(c, provisioner) : {};
  return (leader ?? pods?.items[0])?.metadata.namespace;
}

function namespacesOfClass(c: PresentClaim): string[] {
  return Object.entries(c.storageClassObject?.parameters ?? {}).flatMap(([name, value]) =>
    name.toLowerCase().endsWith('namespace') ? [value] : [],
  );
}

export function ownServiceMeaning({ service = '', namespace, isShort }: OwnService): string {
  return isShort
    ? `by its short name, "${service}" is most likely a service in the namespace of the driver, and part of its own installation`
    : `this is service ${namespace ?? ''}/${service} of the cluster, which is part of the driver's own installation`;
}

export function reviveOwnService(c: PresentClaim, served: ServedBy): Fix[] {
  return reviveService(
    c.ask,
    served,
    c.now,
    'the driver',
    'The claim is then retried automatically, within 5 minutes.',
  );
}
