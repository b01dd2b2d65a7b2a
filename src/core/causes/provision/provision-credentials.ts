import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { shellWord } from '../../facts/evidence.ts';
import {
  azureWord,
  identityUnknownText,
  machineIdentityTexts,
  namedUserText,
  noIdentityTexts,
  quotedUserText,
  rightIn,
  saysWrongLogin,
  shareLoginRefusedTexts,
} from '../lib/driver-error/senses/credentials.ts';
import { secretContent } from '../lib/secret-keys.ts';
import { steps } from '../lib/steps.ts';
import { ownerOfStorage, rightsNeededBy } from '../lib/storage-behind.ts';
import { namedParameters } from './blamed-parameter.ts';
import { azurePolicyFixes } from './azure-policy.ts';
import { cloudGrant } from './cloud-grant.ts';
import { answerRule, parameterEvidence, senseFix, tellWords } from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';
import { renewLogin } from './driver-login.ts';
import { csiClassOf, secretsOf } from './secret-parameters.ts';

/** CSI spec, error scheme: UNAUTHENTICATED or PERMISSION_DENIED, or the same in the words of a storage system. */
export const provisionCredentials = answerRule('provision-credentials', 'credentials', (c, error, driver) => ({
  about: driver,
  summary: tellWords(`${driver} may not create the volume`, error, meaningOf(error)),
  evidence: parameterEvidence(c, namedParameters(c, error)),
  fix: advise(c, error, driver),
}));

/** The refusal names what is missing, or only that something is. */
function meaningOf(error: ProvisionError): string | undefined {
  const { sense, text } = error;
  if (sense?.about === 'login' || sense?.about === 'unseen') return sense.meaning;
  if (
    sense?.about === 'key' ||
    sense?.about === 'billing' ||
    (sense?.about === 'credentials' && sense.advice !== undefined)
  )
    return sense.meaning;
  const { action, caller } = rightIn(text);
  if (action !== undefined) return `its identity${caller === undefined ? '' : ` ${caller}`} lacks the right ${action}`;
  if (isByMachine(error) && identityUnknownText.test(text))
    return 'the metadata service of the machine that it runs on does not know the identity, so that machine does not have it';
  if (saysWrongLogin(text)) return 'the storage does not accept its credentials';
  return noIdentityTexts.test(text) ? 'it has no credentials there, or none that are valid' : undefined;
}

function advise(c: PresentClaim, error: ProvisionError, driver: string): Fix[] {
  const { action, caller } = rightIn(error.text);
  const user = quotedUserText.exec(error.text)?.[1] ?? namedUserText.exec(error.text)?.[1];
  const who = caller ?? (user === undefined ? `the role or account that ${driver} uses` : `user "${user}"`);
  const owner = ownerOfStorage(driver) ?? 'the owner of the storage account';
  const rights = rightsNeededBy(driver);
  if (action === undefined && isByMachine(error) && azureWord.test(error.text))
    return [...senseFix(c, error), assignIdentity(c, driver), ...renewSecret(c, error)];
  const exempted = azurePolicyFixes(c, error);
  if (exempted.length > 0) return exempted;
  if (shareLoginRefusedTexts.test(error.text) && secretNamed(c)) return renewSecret(c, error, true);
  if (saysWrongLogin(error.text) && error.sense?.advice === undefined) {
    const renewed = renewSecret(c, error);
    return renewed.length > 0 ? renewed : [renewLogin(c, driver)];
  }
  const cloud = isByMachine(error) ? undefined : cloudGrant(c, error, driver);
  const grant =
    action === undefined
      ? steps(
          isByMachine(error)
            ? `Ask ${owner} to give ${machineOf(c, driver)} the identity that the error names. The next retry, within 5 minutes, then succeeds.`
            : `Ask ${owner} to give ${who} the rights that creating a volume needs${rights === undefined ? '; the quoted words show what was refused' : ` (${rights})`}. The next retry, within 5 minutes, then succeeds.${cloud?.words ?? ''}`,
          cloud?.commands ?? [],
        )
      : steps(
          `Ask ${owner} to grant ${action} to ${who}. The next retry, within 5 minutes, then succeeds.${cloud?.words ?? ''}`,
          cloud?.commands ?? [],
        );
  return [...senseFix(c, error), ...(error.sense?.advice === undefined ? [grant] : []), ...renewSecret(c, error)];
}

function secretNamed(c: PresentClaim): boolean {
  const storageClass = csiClassOf(c);
  return storageClass !== undefined && secretsOf(storageClass, c)[0]?.state === 'resolved';
}

/** The driver takes the identity of the machine it runs on, from the metadata service there. */
function isByMachine({ text }: ProvisionError): boolean {
  return machineIdentityTexts.test(text);
}

/** Azure: a managed identity works only on machines to which it is assigned. */
function assignIdentity(c: PresentClaim, driver: string): Fix {
  const provisioner = externalProvisionerOf(c);
  const node = provisioner && controllerOf(c, provisioner).leader?.spec?.nodeName;
  const blanks =
    `${node === undefined ? 'PLACEHOLDER_VM is that machine, ' : ''}PLACEHOLDER_GROUP is its resource group, ` +
    'and PLACEHOLDER_IDENTITY the resource id of the identity; a scale set needs "az vmss identity assign" ' +
    'instead';
  return steps(
    `Ask the Azure owner to assign the managed identity of ${driver} to ` +
      `${node === undefined ? 'the machine on which its controller runs' : `the machine of ${node}, on which its controller runs`}. ` +
      `${blanks}. The next retry, within 5 minutes, then succeeds.`,
    [
      'az vm identity assign -g PLACEHOLDER_GROUP -n ' +
        `${node === undefined ? 'PLACEHOLDER_VM' : shellWord(node)} --identities PLACEHOLDER_IDENTITY`,
    ],
  );
}

function machineOf(c: PresentClaim, driver: string): string {
  const provisioner = externalProvisionerOf(c);
  const node = provisioner && controllerOf(c, provisioner).leader?.spec?.nodeName;
  return node === undefined
    ? `the machine on which the controller of ${driver} runs`
    : `node ${node}, on which the controller of ${driver} runs,`;
}

/** Where the class names the credentials, their Secret can be renewed in place. */
function renewSecret(c: PresentClaim, { text }: ProvisionError, isFirst = false): Fix[] {
  const { action } = rightIn(text);
  const storageClass = csiClassOf(c);
  const secret = storageClass && secretsOf(storageClass, c)[0];
  if (secret?.state !== 'resolved' || action !== undefined) return [];
  const { words, command } = secretContent(c.storageClassObject?.provisioner, secret.namespace, secret.name);
  const lead =
    (isFirst && 'Write the user and password that the share accepts, and that may write there,') ||
    (saysWrongLogin(text)
      ? 'Write valid credentials'
      : 'If the credentials themselves are wrong or expired, write valid ones');
  return [
    steps(
      `${lead} into Secret "${secret.name}" in namespace ${secret.namespace}, under ${words}. The claim is ` +
        'retried automatically within 5 minutes.',
      [`${command} --dry-run=client -o yaml | kubectl apply -f -`],
    ),
  ];
}
