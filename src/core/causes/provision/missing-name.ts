import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { ownerOfStorage } from '../lib/storage-behind.ts';
import { blamedParameter, spokenParameter } from './blamed-parameter.ts';
import type { ProvisionError } from './provision-error.ts';
import { provisionerOf } from './provisioner.ts';
import { storageSystemWords } from '../lib/driver-error/senses/missing.ts';

/** The storage or a file server says that something does not exist. */
export function isMissing({ sense }: ProvisionError): boolean {
  return sense?.about === 'missing' || sense?.about === 'absent' || sense?.about === 'export';
}

/** Where no rule knows the words: what of the class they speak of. */
export function spokenMeaning(c: PresentClaim, error: ProvisionError): string | undefined {
  const spoken = spokenParameter(c, error);
  return spoken && `StorageClass "${c.class.name}" names "${spoken.value}" in ${spoken.name}`;
}

/** What does not exist by the name that the class gives it, where the text shows which parameter that is. */
export function missingMeaning(c: PresentClaim, error: ProvisionError): string | undefined {
  const blamed = blamedParameter(c, error);
  const meaning = error.sense?.meaning;
  if (!blamed || meaning === undefined) return meaning;
  const named = `"${blamed.value}", which StorageClass "${c.class.name}" names in ${blamed.name}`;
  if (error.sense?.about === 'export') return `${meaning}: ${named}`;
  return storageSystemWords.test(error.sense?.words ?? '')
    ? `the settings of the driver do not have ${named}`
    : `the storage does not have ${named}, or does not show it to the driver`;
}

/** The value of the class is right, and the storage lacks what it names, or hides it from the driver. */
export function createMissing(c: PresentClaim, error: ProvisionError): Fix[] {
  const blamed = blamedParameter(c, error);
  if (!blamed) return [];
  const owner = ownerOfStorage(provisionerOf(c)?.name) ?? 'your storage team';
  return [
    fix(
      storageSystemWords.test(error.sense?.words ?? '')
        ? `If "${blamed.value}" is right, add it to the settings of the driver (most often a Secret in its ` +
            'namespace) with its address and login, and restart the controller of the driver. The claim is ' +
            'retried automatically within 5 minutes.'
        : `If "${blamed.value}" is right, ask ${owner} to create it, or to let the account of the driver see ` +
            'it. The claim is retried automatically within 5 minutes.',
    ),
  ];
}
