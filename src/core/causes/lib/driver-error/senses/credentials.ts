import type { DriverError } from '../parse.ts';
import { anyOf } from './wordings.ts';

/** Proves that the storage refused this caller; not which key, role or user is to blame. */
const refusals = {
  accessDenied: /Access ?(?:is |was |has been )?Denied/,
  notAuthorized:
    /UnauthorizedOperation|\bUnauthori[sz]ed\b|NoPermission|not (?:been )?authorized|(?:not|n't) have (?:the )?(?:\w+ )?(?:permission|authorization)|AuthorizationFailed/,
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
  wrongCredentials:
    /(?:user ?name|password|token|credentials?|api ?key|secret key|access key)\b.{0,20} (?:is|are|was|were) (?:invalid|incorrect|wrong|not valid|rejected)|(?:invalid|wrong|bad|incorrect) (?:username|user name|login|credentials?|password|api ?key|token)/,
  httpStatus: /\b403 Forbidden\b|(?:error|status ?code|http\w*)\W{0,5}40[13]\b/,
};

export const credentialTexts = anyOf(refusals);

/** A directory that may not be written to: the export or its owner is to blame, no account. */
export const directoryDeniedText = /\b(?:mkdir|chmod|chown) \/\S+: permission denied/i;

/** What mount helpers and kernels say on a node, beside what storage systems say. Numbers are errno values. */
const nodeRefusals = {
  words: /operation not permitted|(?<!is )forbidden|unauthori[sz]ed/,
  numbers: /\(13\)|\(1\): operation|error\((?:13|12[6-9])\)|\bEACCES\b|\bEPERM\b/,
  keys: /required key not available|key (?:has expired|has been revoked|was rejected)|invalid key/,
  codes: /code = (?:PermissionDenied|Unauthenticated)/,
  login: /STATUS_LOGON_FAILURE|NT_STATUS_ACCESS/,
};

export const mountDeniedTexts = anyOf(refusals, nodeRefusals);

/** The storage refuses the credentials or the rights of the caller. */
export function saysCredentials({ code, raw }: DriverError): boolean {
  return code === 'PermissionDenied' || code === 'Unauthenticated' || credentialTexts.test(raw);
}

export const keyTexts = /KMSKey|KMS key|DiskEncryptionSet|encryption key|InvalidKmsKey/i;

/** EC2 accepts the request and drops the new volume again when the role may not use the KMS key. */
export const ghostVolumeTexts = /failed to get an available volume in EC2|InvalidVolume\.NotFound/;

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

/** A cloud names the action that the caller may not perform. */
export const actionDeniedText =
  /not authorized to perform:? ([\w:.*-]+)|perform action '([^']+)'|[Rr]equired '([\w.]+)' permission|missing permission '?([\w.]+)/;
