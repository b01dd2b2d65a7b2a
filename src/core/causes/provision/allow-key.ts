import { shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';
import type { ProvisionError } from './provision-error.ts';

/** EC2 dropped the new volume: the driver's role gets the use of the encryption key, that of the class where it names one. */
export function allowKey(c: PresentClaim, error: ProvisionError): Fix {
  const key = Object.entries(c.storageClassObject?.parameters ?? {}).find(([name]) => /^kmskeyid$/i.test(name))?.[1];
  const text = error.sense?.advice ?? '';
  const operations = 'CreateGrant Decrypt DescribeKey GenerateDataKeyWithoutPlaintext ReEncryptFrom ReEncryptTo';
  return steps(
    `${key === undefined ? text : text.replace('the key of the class, or on the default EBS key', `key ${key}, which the class names`)} PLACEHOLDER_ROLE_ARN is that role${key === undefined ? ', PLACEHOLDER_KEY the key, which the first line prints if the class names none' : ''}.`,
    [
      ...(key === undefined ? ['aws ec2 get-ebs-default-kms-key-id'] : []),
      `aws kms create-grant --key-id ${shellWord(key ?? 'PLACEHOLDER_KEY')} --grantee-principal PLACEHOLDER_ROLE_ARN --operations ${operations}`,
    ],
  );
}
