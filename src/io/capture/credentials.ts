import { redacted } from './redacted.ts';
import { scrubSpoken } from './spoken-credentials.ts';

export { redacted };

const tellingWords = new Set([
  'password',
  'passwd',
  'pass',
  'passphrase',
  'passcode',
  'pwd',
  'pw',
  'secret',
  'secrets',
  'token',
  'tokens',
  'credential',
  'credentials',
  'cred',
  'creds',
  'auth',
  'authorization',
  'bearer',
  'key',
  'keys',
  'apikey',
  'accesskey',
  'secretkey',
  'privatekey',
  'authkey',
  'sas',
  'signature',
  'cookie',
  'cert',
  'certificate',
  'pem',
  'pin',
  'chap',
  'user',
  'username',
  'userid',
  'login',
  'kms',
]);
/** A key that ends like this has a name or a place as its value, not a credential. */
const pointingWords = new Set(['name', 'namespace', 'ref', 'file', 'path', 'dir', 'type', 'mode', 'enabled', 'size']);

/** `adminPassword`, `AWS_SECRET_ACCESS_KEY`, `--token`; but not `provisioner-secret-name`. */
export function namesCredential(key: string): boolean {
  const words = wordsOf(key);
  const last = words.at(-1) ?? '';
  if (pointingWords.has(last) && words.length > 1) return last === 'name' && words.at(-2) === 'user';
  return last === 'access' || words.some((word) => tellingWords.has(word) || isJoinedCredential(word));
}

/** Several words without a border, as older drivers write their parameters: `restuserkey`, but not `restsecretname`. */
function isJoinedCredential(word: string): boolean {
  if (/(?:password|passwd|passphrase|pwd|secret|token|credential|keyring|keytab)s?$/.test(word)) return true;
  if (/(?:name|namespace|ref|file|path|dir|type|mode|enabled|size|class)$/.test(word)) return false;
  if (/^(?:.*(?:topology|partition|label|annotation|sort|map)|mon|tur|don|joc)keys?$/.test(word)) return false;
  return /(?:password|passwd|passphrase|credential)/.test(word) || /[a-z]keys?$/.test(word);
}

function wordsOf(key: string): string[] {
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

const closed = '(?![A-Za-z0-9])';
const forms: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]+-----[^]*?(?:-----END [A-Z0-9 ]+-----|$)/g,
  /\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?/g,
  new RegExp(`\\b(?:AKIA|ASIA|AROA|AIDA|ANPA)[A-Z0-9]{12,}${closed}`, 'g'),
  /\b(?:gh[opsur]|github_pat|glpat|xox[abprs]|sk|rk|pk|hvs|hvb|dop_v1|npm|pypi|SG)[-_.][A-Za-z0-9_.-]{16,}/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
];
/** The scheme and the host stay, since they identify the server. */
const inAddress = /(?<![a-z0-9])([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"'<>]+@/gi;
const inQuery =
  /([?&](?:sig|sv|se|sp|sr|st|X-Amz-[A-Za-z-]+|[A-Za-z_-]*(?:token|secret|password|key|signature|credential)[A-Za-z_-]*)=)[^\s&"'<>]+/gi;
const afterScheme = /\b((?:Bearer|Basic|Digest|Negotiate)\s+)[A-Za-z0-9._~+/=-]{8,}/g;
/** `password=…`, `--token …`, `"secretKey": "…"`, `Password: …`. */
const assigned =
  /(?<!\w)(["']?)([A-Za-z][\w.-]{0,60}?)\1(\s*(?::=|=)\s*|\s*:\s*(?=["'])|:\s+)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;&"')\]}]+)/g;
const flagged = /(^|\s)(--?[A-Za-z][\w-]*)(\s+)([^\s-][^\s]*)/g;
/** After a colon an English word is more likely than a password of letters only. */
const plainPassword = /pass|pwd/i;

/** Removes what is a credential by its form or by the word before it. */
export function scrub(text: string, isIdentifier: (word: string) => boolean = () => false): string {
  if (text.length < 5) return text;
  let result = text;
  for (const form of forms) result = result.replaceAll(form, redacted);
  result = result
    .replaceAll(inAddress, `$1${redacted}@`)
    .replaceAll(inQuery, `$1${redacted}`)
    .replaceAll(afterScheme, `$1${redacted}`);
  result = scrubAssigned(result, isIdentifier);
  result = scrubSpoken(result, isIdentifier);
  result = result.replaceAll(flagged, (whole, before: string, flag: string, between: string, value: string) =>
    namesCredential(flag) && !isReference(value) && value !== redacted
      ? `${before}${flag}${between}${redacted}`
      : whole,
  );
  return result.replaceAll(/[A-Za-z0-9+/_=-]{24,}/g, (run: string, at: number, all: string) =>
    isRandom(run, all[at - 1] ?? '', isIdentifier) ? redacted : run,
  );
}

/** The depth to which assignments inside assignments are searched; a hostile message could nest any number of them. */
const deepest = 4;

function scrubAssigned(text: string, isIdentifier: (word: string) => boolean, depth = 0): string {
  if (depth > deepest) return text;
  return text.replaceAll(assigned, (whole, quote: string, key: string, between: string, value: string) => {
    const bare = value.replace(/^["']|["']$/g, '');
    if (bare === '' || bare.startsWith(redacted)) return whole;
    // `bad class: password=X`: the value of a harmless word may be an assignment too.
    const rest = (): string =>
      whole.slice(0, whole.length - value.length) + scrubAssigned(value, isIdentifier, depth + 1);
    if (!namesCredential(key) || isReference(bare) || isIdentifier(bare)) return rest();
    const isSure =
      between.includes('=') ||
      quote !== '' ||
      plainPassword.test(key) ||
      (/\d/.test(bare) && /[A-Za-z]/.test(bare) && !bare.includes('/'));
    if (!isSure) return rest();
    return `${quote}${key}${quote}${between}${value === bare ? redacted : `${value[0]}${redacted}${value[0]}`}`;
  });
}

/** `$(NAME)`, `${claim.name}`, `true`: a reference to a value, or a value that reveals nothing. */
function isReference(value: string): boolean {
  return value.startsWith('$') || /^(?:true|false|yes|no|null|nil|none|\d{1,5})$/i.test(value);
}

/** Whether a value is a credential by its form alone. */
export function looksLikeCredential(value: string, isIdentifier: (word: string) => boolean = () => false): boolean {
  return scrub(value, isIdentifier) !== value;
}

const joined = /[-/:^#.@]/;

/** Long runs of mixed letters and digits, like keys; not ids that are part of a name, nor paths and CamelCase words. */
function isRandom(run: string, before: string, isIdentifier: (word: string) => boolean): boolean {
  if (isIdentifier(run)) return false;
  if (/^[0-9a-f]{32,}$/i.test(run)) return !joined.test(before);
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(run) || run.startsWith('/') || joined.test(before)) return false;
  if (!/[a-z]/.test(run) || !/[A-Z]/.test(run) || !/\d/.test(run)) return false;
  const classes = run.replaceAll(/[A-Z][a-z]{2,}/g, (word) => word.toLowerCase());
  let changes = 0;
  for (let at = 1; at < classes.length; at += 1)
    if (classOf(classes[at] as string) !== classOf(classes[at - 1] as string)) changes += 1;
  return changes / run.length > 0.25;
}

function classOf(character: string): number {
  if (character >= 'a' && character <= 'z') return 0;
  if (character >= 'A' && character <= 'Z') return 1;
  return character >= '0' && character <= '9' ? 2 : 3;
}
