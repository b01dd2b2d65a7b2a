import type { DriverError } from '../parse.ts';
import { httpStatus } from './http.ts';
import { anyOf } from './wordings.ts';

/**
 * The code of a cloud that names what it refuses, such as `InvalidDataDiskCategory.NotSupported`: whatever the number of the
 * answer, that is a parameter. What it calls an account, a key or a token is the caller after all.
 */
const parameterCode = String.raw`\bInvalid(?!\w*(?:Account|Auth|Caller|Client|Credential|Identity|Key|Login|Password|Permission|Role|Secret|Security|Signature|Sts|Token|User))[A-Z]\w*\.(?:Malformed|NotFound|NotSupported|Unsupported|ValueNotSupported|NotAvailable|OutOfRange)\b`;

/** A number, in a text without such a code. */
function unlessNamed({ source }: RegExp): RegExp {
  return new RegExp(`(?<!${parameterCode}[^]*)(?:${source})(?![^]*${parameterCode})`);
}

/** Proves that the storage refused this caller; not which key, role or user is to blame. */
const refusals = {
  accessDenied: /Access ?(?:is |was |has been )?Denied/,
  notAuthorized:
    /UnauthorizedOperation|\bPermissionDenied\b|\bUnauthenticated\b|\bUnauthori[sz]ed\b|NoPermission|not (?:been )?authorized|(?:not|n't) have (?:the )?(?:\w+ )?(?:permission|authorization)|AuthorizationFailed/,
  unknownIdentity:
    /AuthFailure|InvalidClientTokenId|SignatureDoesNotMatch|(?:Invalid|Expired)AuthenticationToken|IMDS role|Identity not found|AADSTS\d+|invalid_(?:client|grant)/,
  expired:
    /ExpiredToken|expired (?:token|credential)|(?:token|credentials?|certificate|secret|password)\b.{0,40}\bexpired/,
  noCredentials:
    /NoCredentialProviders|no (?:valid )?credentials?\b|failed to (?:refresh|get|retrieve|load|fetch) (?:the |cached |new )*(?:token|credentials?)/,
  noPermission:
    /permission denied|PERMISSION_DENIED|permission to .{0,60} denied|operation not permitted(?! (?:for|on|by|in|with|while|when)\b)|insufficient (?:permissions?|privileges|authentication)|required '[^']+' permission/,
  loginFailed:
    /authentication (?:fail|required|error)|login (?:failed|incorrect)|(?:unable to|failed to|could ?(?:not|n't)|cannot|can't) (?:authenticate|log ?in)\b|not (?:been )?authenticated/,
  ssh: /all configured authentication methods failed|no supported (?:authentication )?methods remain|permission denied \((?:publickey|password|keyboard)/,
  unknownKey:
    /access ?key ?id you provided does not exist|InvalidAccessKeyId|request signature we calculated does not match|\bNOAUTH\b|\bWRONGPASS\b|\bNOPERM\b|authentication required/,
  wrongCredentials:
    /(?:user ?name|password|token|credentials?|api ?key|secret key|access key)\b.{0,20} (?:is|are|was|were) (?:invalid|incorrect|wrong|not valid|rejected)|(?:invalid|wrong|bad|incorrect) (?:username|user name|login|credentials?|password|api ?key|token)/,
  httpStatus: unlessNamed(/\b403 Forbidden\b|(?:error|status ?code|http\w*)\W{0,5}40[13]\b/),
  anyStatus: unlessNamed(httpStatus(401, 403)),
  lapsed:
    /\b(?:token|session|credentials?|password|api ?key|access ?key|secret|login|account|user|ticket|certificate)\b[^.;]{0,30}\b(?:has |have |had |was |were |is |are |been )+(?:lapsed|revoked|disabled|deactivated|suspended|locked out|no longer (?:valid|accepted))\b/,
  signInAgain:
    /\b(?:log|sign|logged|signed) ?in again\b|\bre-?authenticat|\b(?:session|token|credentials?|login)\b[^.;]{0,20}\b(?:was |were |is |are |has been )?(?<!\bconnection |\bconnect: )(?:rejected|refused|denied)\b/,
  notAccepted:
    /\b(?:key|token|password|credentials?|login|secret|account|user)\b[^.;]{0,30}\b(?:is |are |was |were )?(?:not|no longer) (?:be )?accepted\b/,
  role: /(?<!\bno )\b(?:role|permission|privilege|scope|right)s? (?:\S+ )?(?:is |are )?(?:required|needed|missing)\b|\b(?:requires|needs|missing|lacks) (?:the |an? )?(?:\S+ )?(?:role|scope|privilege|right)s?\b(?![=-])/,
  lacks:
    /\b(?:lacks?|is lacking|is missing|without|no|needs|requires) (?:the )?(?:required |necessary |needed |sufficient )?(?:permissions?|privileges?|entitlements?|authorization)\b|\bnot (?:entitled|permitted|allowed) to (?:create|delete|destroy|remove|attach|detach|map|publish|mount|access|expand|extend|grow|resize|modify|snapshot|clone|use|list|read|write)\b/,
};

export const credentialTexts = anyOf(refusals);

/** librados on connecting, before anything is asked for: EPERM, ENOENT, EACCES and EINVAL of the user and its key. */
export const cephLoginText = /connecting failed: rados: ret=-(?:1|2|13|22)\b/;

/** What mount helpers and kernels say on a node, beside what storage systems say. Numbers are errno values. */
const nodeRefusals = {
  words: /operation not permitted|(?<!is )forbidden|unauthori[sz]ed/,
  numbers: /\(13\)|\(1\): operation|error\((?:13|12[6-9])\)|\bEACCES\b|\bEPERM\b/,
  keys: /required key not available|key (?:has expired|has been revoked|was rejected)|invalid key/,
  codes: /code = (?:PermissionDenied|Unauthenticated)/,
  login: /STATUS_LOGON_FAILURE|NT_STATUS_ACCESS|\b(?:System|WNet\w*|Win32) ?error 5\b/,
};

export const mountDeniedTexts = anyOf(refusals, nodeRefusals);

/** The storage refuses the credentials or the rights of the caller. */
export function saysCredentials({ code, raw }: DriverError): boolean {
  return code === 'PermissionDenied' || code === 'Unauthenticated' || credentialTexts.test(raw);
}

/** The driver got no credentials, or some that it cannot read: the storage was not asked. */
export const credentialsMissingTexts = anyOf({
  empty:
    /(?:user ?name|user ?id|password|account ?(?:name|key)?|credentials?|secrets?|access ?key|api ?key|token|key ?ring)\b[^]{0,40} (?:is|are|was|were) (?:empty|missing|not (?:set|provided|specified|found in))/,
  missing:
    /missing (?:ID field|key field|(?:the )?(?:user ?(?:name|id)|password|credentials?|account ?(?:name|key)|access ?key|secret))|(?:could ?(?:not|n't)|cannot|failed to) (?:find|get) (?:the )?(?:account (?:name|key)|credentials?)|no secrets? (?:provided|specified|found)|secrets? (?:not|n't) provided|provided secret is empty/,
  malformed:
    /illegal base64|(?:malformed|not valid) (?:key|credentials?|secret)|failed to (?:parse|decode) (?:the )?(?:key|credentials?|secret)/,
  none: /NoCredentialProviders|no valid credentials?\b|no EC2 IMDS role found/,
});

/** A cloud names the action that the caller may not perform: `ec2:AttachVolume`, `Microsoft.Compute/disks/write`. */
export const actionDeniedText =
  /\bto perform:? (?:the )?(?:action )?["']?([a-z0-9-]+:[A-Za-z]+\*?|Microsoft\.[\w./-]+)|(?:perform|allowed|authori[sz]ed|permitted|denied)\b[^"']{0,40}\baction ["']([^"']+)["']|[Rr]equired ["']([\w./-]+)["'] permission|[Pp]ermission ["']?([a-z]\w+\.[\w.]+)["']? denied\b|missing permission ["']?([\w-]+\.[\w.]+)|\bPrivilegeId: \(string\) (?:\(len=\d+\) )?\\*"([\w.]+)/;

interface MissingRight {
  readonly action: string | undefined;
  readonly caller: string | undefined;
}

/** The action and the caller, as AWS, Azure and Google Cloud name them. */
export function rightIn(text: string): MissingRight {
  const action = actionDeniedText
    .exec(text)
    ?.slice(1)
    .find((name) => name !== undefined);
  const caller =
    /User: (arn:[\w:/+=,.@-]+)/.exec(text)?.[1] ??
    /client ["']([^"']+)["']/.exec(text)?.[1] ??
    /([\w.-]+@[\w.-]+\.iam\.gserviceaccount\.com)/.exec(text)?.[1];
  return { action, caller };
}

/** AWS hides what was refused from callers that may not decode it. */
export function encodedRefusalIn(text: string): string | undefined {
  return /Encoded authorization failure message: ([\w-]+)/i.exec(text)?.[1];
}

/** The storage does not know the caller by what it presented: a right that is granted does not help then. */
const loginTexts = anyOf({
  password:
    /incorrect (?:user ?name|password|login)|(?:user ?name|password|token|api ?key|secret key|access key|credentials?)\b.{0,30} (?:is|are|was|were) (?:invalid|incorrect|wrong|not valid|rejected|expired)|(?:invalid|wrong|bad|expired) (?:user ?name|login|credentials?|password|api ?key|token)\b/,
  login:
    /(?:unable|failed) to authenticate|could not authenticate|authentication (?:failed|failure)|login (?:failed|incorrect)|not (?:been )?authenticated/,
  ssh: refusals.ssh,
  unknownKey: refusals.unknownKey,
  ceph: cephLoginText,
  keys: /InvalidClientTokenId|SignatureDoesNotMatch|InvalidAccessKeyId|ExpiredToken|invalid_client\b|AADSTS7000(?:215|222)/,
  httpStatus: /\b401 Unauthorized\b|(?:error|status ?code|http\w*)\W{0,5}401\b/,
  anyStatus: httpStatus(401),
  lapsed: refusals.lapsed,
  notAccepted: refusals.notAccepted,
  signInAgain: refusals.signInAgain,
});

/** A key, password or token that is not, or no longer, accepted. */
export const loginRefusedTexts = anyOf(
  { lapsed: refusals.lapsed, notAccepted: refusals.notAccepted },
  /code = Unauthenticated\b/,
);

/** Windows and SMB servers, of the login of a node. */
export const wrongPasswordText =
  /\b(?:System|WNet\w*|Win32) ?error (?:86|1326|1327|1330|1331|1909)\b|(?:user ?name|password)\b.{0,30} (?:is|are|was|were) (?:invalid|incorrect|wrong|not correct)|STATUS_LOGON_FAILURE|NT_STATUS_WRONG_PASSWORD|LogonFailure/i;

/** The driver could not log in; that the storage was reached is not proven. */
export const loginFailedText = /(?:failed|unable) to authenticate|could ?(?:not|n't) authenticate/i;

/** Credentials that are wrong or expired, as opposed to a right that a known caller lacks. */
export function saysWrongLogin(text: string): boolean {
  return rightIn(text).action === undefined && loginTexts.test(text);
}

/** A rule above all roles: an Azure policy, a constraint of a Google organisation, a service control policy of AWS. */
export const policyTexts = anyOf({
  azure: /RequestDisallowedByPolicy|disallowed by policy/,
  google: /Constraint\W+constraints\/\S+ violated|violates (?:an? )?(?:organization|org) policy/,
  aws: /explicit deny in an? (?:service|resource) control policy/,
});

/** The cloud offers the service to accounts that have enabled it, and this one has not. */
export const serviceOffTexts = anyOf({
  google: /API has not been used in project \S+ before or it is disabled|SERVICE_DISABLED|accessNotConfigured/,
  azure: /MissingSubscriptionRegistration|SubscriptionNotRegistered|not registered to use namespace/,
  aws: /OptInRequired|not subscribed to this service/,
});

/**
 * A lock that people set on resources of a cloud. A lock that a program takes, such as the resource lock of a leader
 * election, is another thing.
 */
export const adminLockTexts =
  /\bScopeLocked\b|scopes?(?:\(s\))? (?:is|are) locked|\bremove the lock\b|(?<!\b(?:acquir|obtain|retriev|releas|renew|tak|creat|updat|get|grab|wait|hold|initializ)\w*(?: [\w-]+)?(?: the| an?| its| for)* )\b(?:delete|read-?only|management|resource) lock\b(?! (?:held|taken|timed|contention|acquisition)\b| (?:is |was )?(?:held|taken) by\b| \S+\/)/i;

/** The metadata service of Azure: the machine does not have the identity that the driver asks for. */
export const identityUnknownText = /Identity not found/i;

/** Credentials are missing, expired or malformed, as opposed to a right that a known caller lacks. */
export const noIdentityTexts =
  /no (?:valid )?credentials?\b|NoCredentialProviders|IMDS role|Identity not found|failed to (?:refresh|get|retrieve|load|fetch) (?:the |cached |new )*(?:token|credentials?)|expired|InvalidClientTokenId|AADSTS\d+|invalid_(?:client|grant)|Unauthenticated/i;

/** A share that the controller mounts refuses the user of the Secret: a wrong password, or no right on the share. */
export const shareLoginRefusedTexts = /mount error\(13\)|mount\.cifs[^]*permission denied/i;

/** The user that was refused, in quotation marks. */
export const quotedUserText = /\buser ['"]([^'"]+)['"]/i;

/** The user that was refused, without quotation marks: a verb has to follow. */
export const namedUserText = /\buser ([\w.@-]+) (?:does not have|doesn't have|has no|lacks|is not|may not|cannot)\b/i;

/** The driver asked the metadata service of its machine who it is. */
export const machineIdentityTexts = /169\.254\.169\.254|\bIMDS\b|metadata\/identity|metadata service/i;

/** A driver misses the token of a service account. */
export const tokenMissingTexts =
  /service ?account\.?tokens?|csi\.storage\.k8s\.io\/serviceAccount|token(?:s)? (?:is |are |was )?(?:missing|not found|empty|not provided|required)|(?:missing|no|empty) (?:service account )?tokens?\b/i;

/** The cloud whose machines have identities of their own. */
export const azureWord = /azure/i;
