import { shellWord } from '../../facts/evidence.ts';
import { locationIn, openStackQuotaIn } from '../lib/driver-error/senses/cloud.ts';

/** What the owner of a cloud account runs to raise a quota, and what the blanks in it are. */
export interface CloudQuota {
  readonly commands: readonly string[];
  readonly words: string;
}

/** By the driver and the words; undefined where no command line is known. */
export function cloudQuota(driver: string | undefined, text: string): CloudQuota | undefined {
  if (driver === undefined) return undefined;
  if (/cinder|manila/.test(driver)) return raiseOnOpenStack(driver, text);
  if (/\.aws\.com$|aws-ebs$/.test(driver)) return raiseOnAws(driver);
  if (/\.azure\.com$|\/azure-/.test(driver)) return raiseOnAzure(text);
  return undefined;
}

function raiseOnOpenStack(driver: string, text: string): CloudQuota {
  const { project, name: option, needed } = openStackQuotaIn(text);
  const isShare = driver.includes('manila');
  const set = isShare ? 'share quota set' : 'quota set';
  return {
    commands: [
      `openstack ${isShare ? 'share ' : ''}quota show ${project ?? 'PLACEHOLDER_PROJECT'}`,
      `openstack ${set} --${option === undefined ? 'PLACEHOLDER_QUOTA' : shellWord(option.replaceAll('_', '-'))} ${needed ?? 'PLACEHOLDER_LIMIT'} ${project ?? 'PLACEHOLDER_PROJECT'}`,
    ],
    words: [
      project === undefined ? 'PLACEHOLDER_PROJECT is the id of the project' : '',
      option === undefined ? 'PLACEHOLDER_QUOTA the quota that is used up' : '',
      needed === undefined ? 'PLACEHOLDER_LIMIT its new limit' : '',
    ]
      .filter((part) => part !== '')
      .join(', '),
  };
}

function raiseOnAws(driver: string): CloudQuota {
  const code = /^(efs|fsx)\./.exec(driver)?.[1] ?? 'ebs';
  const service = code === 'efs' ? 'elasticfilesystem' : code;
  return {
    commands: [
      `aws service-quotas list-service-quotas --service-code ${service} --query 'Quotas[].[QuotaCode,QuotaName,Value]' --output table`,
      `aws service-quotas request-service-quota-increase --service-code ${service} --quota-code PLACEHOLDER_CODE --desired-value PLACEHOLDER_LIMIT`,
    ],
    words:
      "PLACEHOLDER_CODE is that of the quota that is used up, in the first line's output, PLACEHOLDER_LIMIT its new value",
  };
}

/** `exceeding approved Total Regional Cores quota. … Location: westeurope` */
function raiseOnAzure(text: string): CloudQuota | undefined {
  const place = locationIn(text);
  return place === undefined
    ? undefined
    : {
        commands: [`az vm list-usage --location ${shellWord(place)} -o table`],
        words: 'The command shows limits and use; the quota is raised by a request to Azure (Quotas in the portal)',
      };
}
