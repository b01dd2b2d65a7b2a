import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { shellWord } from '../../facts/evidence.ts';
import { componentOf } from '../../graph/events.ts';
import { deniedResourceIn, encodedRefusalIn, projectIn, scopeIn } from '../lib/driver-error/senses/cloud.ts';
import { rightIn } from '../lib/driver-error/senses/credentials.ts';
import type { ProvisionError } from './provision-error.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';

/** What the owner of a cloud account runs to give the driver a right, and what the blanks in it are. */
export interface CloudGrant {
  readonly commands: readonly string[];
  /** Sentences about the commands. */
  readonly words: string;
}

interface AwsDriver {
  readonly policy: string;
  readonly account: string;
}

/** The managed policy and the service account of the usual installation, from the documentation of the drivers. */
const awsDrivers: readonly (readonly [RegExp, AwsDriver])[] = [
  [
    /^ebs\.csi\.aws\.com$|^kubernetes\.io\/aws-ebs$/,
    { policy: 'service-role/AmazonEBSCSIDriverPolicy', account: 'ebs-csi-controller-sa' },
  ],
  [/^efs\.csi\.aws\.com$/, { policy: 'service-role/AmazonEFSCSIDriverPolicy', account: 'efs-csi-controller-sa' }],
  [/^fsx\.csi\.aws\.com$/, { policy: 'AmazonFSxFullAccess', account: 'fsx-csi-controller-sa' }],
];

/** Undefined for a storage whose rights are not given on a command line that is known here. */
export function cloudGrant(c: PresentClaim, error: ProvisionError, driver: string): CloudGrant | undefined {
  const aws = awsDrivers.find(([name]) => name.test(driver))?.[1];
  if (aws) return grantOnAws(c, error, aws);
  if (/\.gke\.io$|^kubernetes\.io\/gce-pd$/.test(driver)) return grantOnGoogle(c, error);
  return /\.azure\.com$|^kubernetes\.io\/azure-/.test(driver) ? grantOnAzure(error) : undefined;
}

/** `arn:aws:sts::1:assumed-role/NAME/session`, or the annotation of the service account (IAM roles for them). */
function grantOnAws(c: PresentClaim, { text }: ProvisionError, { policy, account }: AwsDriver): CloudGrant {
  const { action, caller } = rightIn(text);
  const named = /:(?:assumed-role|role)\/(?:[\w+=,.@-]+\/)*?([\w+=,.@-]+)(?:\/[^/\s]+)?$/.exec(
    caller?.replace(/(assumed-role\/[^/]+)\/.*$/, '$1') ?? '',
  )?.[1];
  const { namespace, name } = serviceAccountOf(c) ?? { namespace: 'kube-system', name: account };
  const role = named === undefined ? 'PLACEHOLDER_ROLE' : shellWord(named);
  const find =
    `kubectl -n ${shellWord(namespace)} get serviceaccount ${shellWord(name)} ` +
    String.raw`-o jsonpath='{.metadata.annotations.eks\.amazonaws\.com/role-arn}{"\n"}'`;
  const encoded = encodedRefusalIn(text);
  const document = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: action, Resource: deniedResourceIn(text) ?? '*' }],
  };
  return {
    commands: [
      ...(encoded === undefined
        ? []
        : [
            `aws sts decode-authorization-message --encoded-message ${shellWord(encoded)} --query DecodedMessage --output text`,
          ]),
      ...(named === undefined ? [find] : []),
      action === undefined
        ? `aws iam attach-role-policy --role-name ${role} --policy-arn arn:aws:iam::aws:policy/${policy}`
        : `aws iam put-role-policy --role-name ${role} --policy-name ${shellWord(`csi-${action.replaceAll(/[^\w]+/g, '-')}`)} --policy-document ${shellWord(JSON.stringify(document))}`,
    ],
    words: `${encoded === undefined ? '' : ' The first line decodes which action was refused; if a permissions boundary or a policy of the organization refuses it, that has to be changed instead.'}${named === undefined ? ` PLACEHOLDER_ROLE is the last part of what the line with "get serviceaccount" prints, the role of ${namespace}/${name}; if that is empty, the driver works with the role of its node.` : ''}`,
  };
}

function serviceAccountOf(c: PresentClaim): { readonly namespace: string; readonly name: string } | undefined {
  const provisioner = externalProvisionerOf(c);
  const { leader, pods } = provisioner ? controllerOf(c, provisioner) : {};
  const pod = leader ?? pods?.items[0];
  const name = pod?.spec?.serviceAccountName;
  return pod && name !== undefined ? { namespace: pod.metadata.namespace ?? 'default', name } : undefined;
}

/** The predefined role that has a right, by the service that its name begins with. */
const googleRoles: readonly (readonly [RegExp, string])[] = [
  [/^file\./, 'roles/file.editor'],
  [/^cloudkms\./, 'roles/cloudkms.cryptoKeyEncrypterDecrypter'],
  [/^iam\.serviceAccounts\./, 'roles/iam.serviceAccountUser'],
  [/^compute\./, 'roles/compute.storageAdmin'],
];

function grantOnGoogle(c: PresentClaim, { text, event }: ProvisionError): CloudGrant | undefined {
  const { action, caller } = rightIn(text);
  const role = googleRoles.find(([name]) => name.test(action ?? ''))?.[1];
  if (role === undefined) return undefined;
  const project = projectIn(text) ?? 'PLACEHOLDER_PROJECT';
  const isKnown = caller?.includes('@') === true;
  const isManaged = /_gke-[0-9a-f-]+-vm(?:_|$)/.test(componentOf(event)) && !isSeen(c);
  const blank = isManaged
    ? ' The controller runs in the control plane that Google manages, so PLACEHOLDER_ACCOUNT is the service agent of GKE, service-PROJECT_NUMBER@container-engine-robot.iam.gserviceaccount.com, and not the account of the nodes.'
    : ' PLACEHOLDER_ACCOUNT is the account with which the controller of the driver works.';
  return {
    commands: [
      `gcloud projects add-iam-policy-binding ${shellWord(project)} --member=${isKnown ? shellWord(`serviceAccount:${caller}`) : 'serviceAccount:PLACEHOLDER_ACCOUNT'} --role=${role}`,
    ],
    words: `${project === 'PLACEHOLDER_PROJECT' ? ' PLACEHOLDER_PROJECT is the project of the storage.' : ''}${isKnown ? '' : blank}`,
  };
}

function isSeen(c: PresentClaim): boolean {
  const provisioner = externalProvisionerOf(c);
  return provisioner !== undefined && controllerOf(c, provisioner).pods.items.length > 0;
}

/** `The client 'ID' … does not have authorization to perform action 'A' over scope 'S'` */
function grantOnAzure({ text }: ProvisionError): CloudGrant | undefined {
  const { action, caller } = rightIn(text);
  const scope = scopeIn(text);
  const group = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+/i.exec(scope ?? '')?.[0] ?? scope;
  if (action === undefined || group === undefined) return undefined;
  const role = /^Microsoft\.Storage\//i.test(action) ? 'Storage Account Contributor' : 'Contributor';
  return {
    commands: [
      `az role assignment create --assignee ${caller === undefined ? 'PLACEHOLDER_IDENTITY' : shellWord(caller)} --role ${shellWord(role)} --scope ${shellWord(group)}`,
    ],
    words:
      caller === undefined
        ? ' PLACEHOLDER_IDENTITY is the client id of the identity with which the controller of the driver works.'
        : '',
  };
}
