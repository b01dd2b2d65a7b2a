import { httpStatus } from '../senses/http.ts';
import { anyOf } from '../senses/wordings.ts';
import { adminLockTexts, policyTexts, serviceOffTexts, cephLoginText, credentialTexts } from '../senses/credentials.ts';
import { exportRefusedText } from '../senses/file-system.ts';
import type { PatternedSense } from './sense.ts';

/** EC2 accepts the request and drops the new volume again when the role may not use the KMS key. */
const ghostVolumeTexts =
  /failed to get an available volume in EC2|could not create volume(?![^]*(?:from snapshot|clone))[^]*InvalidVolume\.NotFound/i;

export const ghostVolume: PatternedSense = {
  about: 'ghost',
  pattern: ghostVolumeTexts,
  meaning:
    'EC2 accepted the request, and the new volume was gone a moment later, which is typical of a role that ' +
    'may not use the KMS key (the text does not name it)',
  advice:
    'Ask the AWS owner to check CloudTrail for KMS AccessDenied at that minute, and to grant the role of ' +
    'the driver kms:CreateGrant, kms:Decrypt, kms:DescribeKey, kms:GenerateDataKey* and kms:ReEncrypt* on ' +
    'the key of the class, or on the default EBS key. The next retry, within 5 minutes, then succeeds.',
};

export const exportRefused: PatternedSense = {
  about: 'credentials',
  kind: 'credentials',
  pattern: exportRefusedText,
  meaning: 'the NFS server answered and refused the node on which the controller of the driver runs',
  advice:
    'Ask the owner of the NFS server to admit the nodes of the cluster to the export, also the one with ' +
    'the controller of the driver: it mounts the export to create a directory. The next retry, within 5 ' +
    'minutes, then succeeds.',
};

/** librados: ret=-22 on connecting is a key that is no key, the others a user or a key that Ceph does not know. */
export const cephLogin: PatternedSense = {
  about: 'login',
  kind: 'credentials',
  pattern: cephLoginText,
  meaning:
    'Ceph does not accept the user and key of the Secret on connecting: the user is unknown there (it is ' +
    'written without "client."), or the key is not the one that "ceph auth get-key" prints',
};

/** librados: EPERM and EACCES. */
const cephDeniedText = /rados: ret=-(?:1|13)\b/;

export const cephDenied: PatternedSense = {
  about: 'credentials',
  kind: 'credentials',
  pattern: cephDeniedText,
  meaning: 'the Ceph user that it logs in with lacks a right (its caps)',
  advice:
    'Ask the Ceph team to give the user in the Secret of the class the rights of profile rbd on the pool ' +
    '(for CephFS: allow rw on the file system, and mgr "allow rw"). The next retry, within 5 minutes, then ' +
    'succeeds.',
};

export const policy: PatternedSense = {
  about: 'credentials',
  kind: 'credentials',
  pattern: policyTexts,
  meaning: 'a policy of the cloud account forbids it, whatever rights the caller has',
  advice:
    'Ask the owner of the cloud account to exempt these volumes from the policy that the error names, or ' +
    'set the parameters of the class so that they comply with it. The next retry, within 5 minutes, then ' +
    'succeeds.',
};

/** Google names the page on which the service is enabled. */
const namedServiceOffText =
  /apis\/api\/([a-z0-9.-]+\.googleapis\.com)\/overview\?project=([a-z0-9][a-z0-9:.-]*[a-z0-9])/;

export const namedServiceOff: PatternedSense = {
  about: 'credentials',
  kind: 'credentials',
  pattern: namedServiceOffText,
  meaning: 'the cloud service $1 is not enabled for project $2',
  advice:
    'Ask the owner of project $2 to enable the service. The call is repeated automatically, and succeeds within minutes of that.',
  command: 'gcloud services enable $1 --project=$2',
};

export const serviceOff: PatternedSense = {
  about: 'credentials',
  kind: 'credentials',
  pattern: serviceOffTexts,
  meaning: 'the cloud service is not enabled for this project or subscription',
  advice:
    'Ask the owner of the cloud project or subscription to enable the service that the error names. The ' +
    'call is repeated automatically, and succeeds within minutes of that.',
};

const keyTexts = /KMSKey|KMS key|DiskEncryptionSet|encryption key|InvalidKmsKey/i;

export const encryptionKey: PatternedSense = {
  about: 'key',
  pattern: keyTexts,
  meaning: 'it is about the encryption key',
  advice:
    'Give the role of the driver the use of the encryption key that the class or the storage account ' +
    'names, and check that the key exists and is enabled.',
};

/** A directory that may not be written to: the export or its owner is to blame, no account. */
const directoryDeniedText = /\b(?:mkdir|chmod|chown) \/\S+: permission denied/i;

export const directoryDenied: PatternedSense = {
  about: 'credentials',
  kind: 'credentials',
  pattern: directoryDeniedText,
  meaning: 'it may not write in the directory for its volumes',
  advice:
    'Give the provisioner the right to write there: owner and mode of the directory, or no_root_squash on ' +
    'an NFS export. The call is repeated automatically.',
};

export const callerRefused: PatternedSense = {
  about: 'credentials',
  kind: 'credentials',
  pattern: credentialTexts,
  meaning: 'the storage refused the caller',
};

/** The account may use the service, and has not paid for it. */
const billingTexts = anyOf({
  names:
    /Insufficient(?:Account)?Balance|NotEnoughBalance|\bArrearage\b|InDebt\b|OverdueAccount|SubscriptionDisabled|ReadOnlyDisabledSubscription|BILLING_DISABLED|PaymentRequired|InsufficientFunds/,
  balance:
    /\b(?:balance|funds|(?<!\b(?:burst|i\/?o|cpu|throughput|iops) )credits?) (?:is |are )?(?:insufficient|exhausted|too low|negative|not (?:enough|sufficient))|insufficient (?:account )?(?:balance|funds|credits?)\b|\bnot enough (?:account )?(?:balance|funds|credits?)\b(?! in)/,
  bills:
    /\b(?:unpaid|overdue|outstanding) (?:bills?|invoices?|payments?|balance)|\bin arrears\b|payment (?:is )?required|\bpast due\b|suspended for non-?payment/,
  billing: /\brequires billing\b|\bbilling (?:account )?(?:is |has been )?(?:disabled|not enabled|closed|not active)\b/,
  httpStatus: httpStatus(402),
});

export const billing: PatternedSense = {
  about: 'billing',
  kind: 'credentials',
  pattern: billingTexts,
  meaning: 'the cloud account is not paid for or has no billing; this is neither a quota nor a missing right',
  advice:
    'Ask the owner of the storage account to settle the bill, top up the balance or enable billing for it. ' +
    'The next retry, within 5 minutes, then succeeds.',
};

/** Some clouds do not tell strangers what exists: one answer for a missing right and for a missing thing. */
const unseenTexts =
  /NotAuthorizedOrNotFound|authorization failed or requested resource not found|\(or it may not exist\)|(?:does not|doesn't|not) (?:exist|found),? or (?:you|the caller|the user|it|access|permission|insufficient|not authorized|no permission)\b/i;

export const unseen: PatternedSense = {
  about: 'unseen',
  pattern: unseenTexts,
  meaning:
    'the storage gives this one answer for a right that the driver lacks and for a thing that does not ' +
    'exist, so the text does not tell which it is',
  advice:
    'Ask the owner of the storage account to check both, with the request id of the error: the rights of ' +
    'the identity of the driver, and that what the class and the settings of the driver name (ids, keys, ' +
    'places) exists where it looks. The call is repeated automatically.',
};

/** A lock that people set on resources of a cloud, so that nothing there is changed; it does not pass with time. */
export const adminLock: PatternedSense = {
  about: 'credentials',
  kind: 'credentials',
  pattern: adminLockTexts,
  meaning: 'the owner has locked the resources that the error names against changes, which does not pass with time',
  advice:
    'Ask the owner of the cloud account to remove the lock from what the error names, or to let the driver ' +
    'create its volumes elsewhere. The next retry, within 5 minutes, then succeeds.',
};

/** The storage could do it, and its licence does not allow it. */
export const licence: PatternedSense = {
  about: 'licence',
  pattern:
    /\bnot licen[sc]ed\b|\blicen[sc]e check failed\b|\b(?:volumes|disks|nodes|capacity|snapshots) licen[sc]ed\b|\blicen[sc]e\b[^.;]{0,60}\b(?:required|expired|missing|invalid|not (?:valid|found|installed|active)|does ?(?:not|n't) (?:include|cover|allow|permit|support))|\b(?:no|without(?: an?)?|missing|requires? an?|needs? an?) (?:valid |active )?(?:\w+ )?licen[sc]e\b(?! (?:is )?(?:required|needed))/i,
  meaning: 'the licence of the storage does not cover what is asked for',
  advice:
    'Ask the owner of the storage for a licence that covers what the error names. The claim is retried automatically within 5 minutes.',
};

/** An API that is open to some addresses only: the key is not judged at all. */
export const addressRefused: PatternedSense = {
  about: 'credentials',
  kind: 'credentials',
  pattern:
    /\b(?:unauthori[sz]ed|not (?:allowed|authori[sz]ed|permitted|whitelisted|allowlisted)(?: from)?) (?:source |client )?IP(?: address)?:? ?([0-9a-f.:]*[0-9a-f])/i,
  meaning: 'the API does not accept calls from address $1, whatever the credentials',
  advice:
    'Ask the owner of the storage account to add $1 to the addresses from which the API may be used (its access list). The next retry, within 5 minutes, then succeeds.',
};
