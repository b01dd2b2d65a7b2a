import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { createSourceCommand } from '../lib/create-source.ts';
import {
  actionDeniedText,
  credentialTexts,
  encodedRefusalIn,
  rightIn,
  saysCredentials,
  saysWrongLogin,
} from '../lib/driver-error/senses/credentials.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { userForbiddenText } from '../lib/driver-error/senses/kubernetes.ts';
import { steps } from '../lib/steps.ts';
import { attachRightOf, ownerOfStorage, rightsNeededBy } from '../lib/storage-behind.ts';
import type { AttachError } from './attach-error.ts';
import { retryText } from './attach-retry.ts';
import { driverAnswerOf, driverLogs, refusalText } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** The storage refuses the driver's own rights; the secret of the volume, if any, could be read. */
export const attachRpcCredentials = attachRules('attach-rpc-credentials', 'blocking', (trouble) => {
  const error = driverAnswerOf(trouble);
  if (!error || !saysCredentials(error) || userForbiddenText.test(error.raw)) return undefined;
  const { driver } = trouble;
  return {
    confidence: confidenceOf(trouble),
    ...(driver !== undefined && { about: driver }),
    summary:
      `${refusalText(trouble, error, 'may not attach', rightIn(error.raw).action === undefined ? credentialTexts : actionDeniedText)} ` +
      `${saysWrongLogin(error.raw) ? 'The storage does not accept its credentials.' : 'The storage refused the caller, not Kubernetes.'}`,
    evidence: [error.evidence, ...secretEvidence(trouble)],
    fix: [...fixesFor(trouble, error), ...driverLogs(trouble)],
  };
});

function secretEvidence(trouble: AttachTrouble): Evidence[] {
  const volume = volumeObjectOf(trouble);
  const reference = volume?.spec?.csi?.controllerPublishSecretRef;
  return volume && reference?.name
    ? [field(volume, 'spec.csi.controllerPublishSecretRef', `${reference.namespace ?? ''}/${reference.name}`)]
    : [];
}

function grantWords(driver: string | undefined, action: string | undefined, who: string): string {
  if (action !== undefined) return `give ${who} the right ${action}`;
  const right = attachRightOf(driver);
  const rights = rightsNeededBy(driver);
  const usual = rights === undefined ? '' : ` (it usually has ${rights})`;
  return right === undefined
    ? `give ${who} the right to attach volumes${usual}`
    : `allow ${right} on the volume and the machine to ${who}${usual}`;
}

/** AWS encodes what was refused; only a caller with the right to decode it can read it. */
function grantFix(trouble: AttachTrouble, action: string | undefined, who: string, encoded: string | undefined): Fix {
  const { driver } = trouble;
  const decode =
    action !== undefined || encoded === undefined
      ? []
      : [
          `aws sts decode-authorization-message --encoded-message ${shellWord(encoded)} --query DecodedMessage --output text`,
        ];
  const shows = decode.length > 0 ? 'The command prints which action on which resource was refused. ' : '';
  return steps(
    `Ask ${ownerOfStorage(driver) ?? 'the owner of the storage account'} to ${grantWords(driver, action, who)}. ` +
      `${shows}${retryText(trouble)}`,
    decode,
  );
}

function fixesFor(trouble: AttachTrouble, { raw }: AttachError): Fix[] {
  const { driver } = trouble;
  const { action, caller } = rightIn(raw);
  const who = caller ?? `the role or account that the controller of ${driver ?? 'the driver'} uses`;
  const grant =
    action === undefined && saysWrongLogin(raw)
      ? steps(
          `Replace the credentials with which the controller of ${driver ?? 'the driver'} logs in to the storage ` +
            `by valid ones, in the Secret or the settings that it reads, and restart it. ${retryText(trouble)}`,
          [],
        )
      : grantFix(trouble, action, who, encodedRefusalIn(raw));
  const { namespace, name } = volumeObjectOf(trouble)?.spec?.csi?.controllerPublishSecretRef ?? {};
  if (!namespace || !name || action !== undefined) return [grant];
  const renew = steps(
    `Replace the credentials in Secret "${name}" in namespace ${namespace}, which the volume names for ` +
      'attaching, if they are wrong or expired. ' +
      `PLACEHOLDER_KEY and PLACEHOLDER_FILE: each key that the driver's documentation asks for, and the file ` +
      `with its content. ${retryText(trouble)}`,
    [`${createSourceCommand('Secret', namespace, name)} --dry-run=client -o yaml | kubectl apply -f -`],
  );
  return [renew, grant];
}
