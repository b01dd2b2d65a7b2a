import type { PatternedSense } from './sense.ts';

/** The API server about an object that a driver asked for; it says nothing about the storage. */
const objectMissingText =
  /\b(secrets?|configmaps?|serviceaccounts?|namespaces?|pods?|services?|[a-z]+\.[a-z0-9-]+(?:\.[a-z0-9-]+)+) "([^"]+)" not found/;

export const objectMissing: PatternedSense = {
  about: 'object',
  pattern: objectMissingText,
  meaning: 'Kubernetes object $1 "$2" does not exist',
  advice:
    'Create what the error names in Kubernetes ($1 "$2"), as the documentation of the driver says. The call is repeated automatically.',
};

/** Admission refused an object. RBAC speaks of a user. */
const admissionTexts = /admission webhook "[^"]+" denied|is forbidden: (?!User )|failed calling webhook "/;

export const admission: PatternedSense = {
  about: 'admission',
  pattern: admissionTexts,
  meaning: 'the API server or an admission webhook refused an object; the storage was not asked',
  advice: 'Let admission accept what the error names, or change what is refused. The call is repeated automatically.',
};

/**
 * nfs-server-provisioner getServer: volumes get the address of its own Service, which its variable SERVICE_NAME names.
 */
const ownServiceMissingText = /error getting service SERVICE_NAME=([\w.-]+) in namespace POD_NAMESPACE=([\w.-]+)/;

export const ownServiceMissing: PatternedSense = {
  about: 'service',
  pattern: ownServiceMissingText,
  meaning:
    'its own Service "$1" in namespace $2, which its variable SERVICE_NAME names, does not exist, or it may not read it',
  advice:
    'Set SERVICE_NAME in the workload of the provisioner to the name of its Service in namespace $2 ' +
    '(PLACEHOLDER_WORKLOAD, PLACEHOLDER_SERVICE), and let it read services.',
  command: 'kubectl -n $2 set env PLACEHOLDER_WORKLOAD SERVICE_NAME=PLACEHOLDER_SERVICE',
};

const ownServiceInvalidText = /service SERVICE_NAME=([\w.-]+) is (?:not valid|valid but)/;

export const ownServiceInvalid: PatternedSense = {
  about: 'service',
  pattern: ownServiceInvalidText,
  meaning: 'its own Service "$1", which its variable SERVICE_NAME names, does not lead to its pod alone',
  advice:
    'Correct Service "$1": it needs an address, all the ports of the provisioner, and its pod as the only ' +
    'endpoint. The call is repeated automatically.',
};
