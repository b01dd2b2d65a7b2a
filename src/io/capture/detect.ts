import type { RawObject } from '../../core/kube/snapshot.ts';
import { redacted } from './redacted.ts';

/** A text that still looked like a credential after the redaction, and where it was. */
export interface Detection {
  readonly object: string;
  readonly path: string;
  /** The format by which it was found. */
  readonly form: string;
}

/** Formats that issuers document, independent of the words around them. */
const formats: readonly (readonly [string, RegExp])[] = [
  ['PEM block', /-----BEGIN [A-Z0-9 ]{2,40}-----[^]*?(?:-----END [A-Z0-9 ]{2,40}-----|$)/g],
  ['JSON web token', /eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}/g],
  ['AWS access key', /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g],
  ['Slack token', /xox[a-z]-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g],
  ['GitHub token', /gh[a-z]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}/g],
  ['GitLab token', /gl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_-]{20,}/g],
  ['Google key', /AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}/g],
  ['Stripe key', /[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g],
  ['Vault token', /hv[sbr]\.[A-Za-z0-9_-]{20,}/g],
  ['npm token', /npm_[A-Za-z0-9]{36}/g],
  ['SendGrid key', /SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g],
  ['DigitalOcean token', /do[opr]_v1_[a-f0-9]{40,}/g],
  ['Azure storage key', /Account(?:Key|Name)=[^;\s"']*;?(?:[^\s"']*AccountKey=)?[A-Za-z0-9+/]{60,}={0,2}/g],
  ['connection string', /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>[\]]+:(?!\[redacted\])[^\s/@"'<>]+@/gi],
  ['password in a crypt format', /\$(?:1|2[aby]|5|6|y|argon2id?)\$[./A-Za-z0-9$=,+-]{20,}/g],
];

/** Fields whose values are random by nature: ids of objects and containers, digests, handles. */
const randomFields =
  /^(?:name|uid|namespace|generateName|resourceVersion|containerID|imageID|image|volumeHandle|snapshotHandle|volumeGroupSnapshotHandle|nodeID|providerID|systemUUID|machineID|bootID|holderIdentity|volumeName|\w+Name|hash|observedGeneration|time|\w+Time|\w+Timestamp)$/;
const bitsOfChance = 4.1;

/**
 * Searches a redacted object once more, by other means than the redaction: the formats that issuers of credentials
 * document, and the entropy of each word. What it finds is replaced and reported.
 */
export function detect<T extends RawObject>(
  object: T,
  isIdentifier: (word: string) => boolean,
  onDetection: (detection: Detection) => void,
): T {
  const name = [object.kind.toLowerCase(), object.metadata.namespace, object.metadata.name]
    .filter((part) => part !== undefined)
    .join('/');
  const visit = (value: unknown, key: string, path: string): unknown => {
    if (typeof value === 'string') {
      return clean(value, randomFields.test(key) ? () => true : isIdentifier, (form) =>
        onDetection({ object: name, path, form }),
      );
    }
    if (Array.isArray(value)) return value.map((item, index) => visit(item, key, `${path}[${index}]`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, item]) => [
        field,
        visit(item, field, /[./]/.test(field) ? `${path}[${field}]` : `${path}${path === '' ? '' : '.'}${field}`),
      ]),
    );
  };
  const { apiVersion, kind, ...rest } = object;
  return { ...(apiVersion !== undefined && { apiVersion }), kind, ...(visit(rest, '', '') as object) } as T;
}

/** The text without what looks like a credential. */
export function clean(text: string, isIdentifier: (word: string) => boolean, onForm: (form: string) => void): string {
  if (text.length < 16) return text;
  let result = text;
  for (const [form, pattern] of formats)
    result = result.replaceAll(pattern, (found) => {
      onForm(form);
      const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(found)?.[0];
      return form === 'connection string' && scheme !== undefined ? `${scheme}${redacted}@` : redacted;
    });
  return result.replaceAll(/[A-Za-z0-9+/_-]{20,}={0,2}/g, (word: string, at: number) => {
    if (isIdentifier(word) || isIdentifier(text) || !isChance(word, result.slice(0, at))) return word;
    onForm('random text');
    return redacted;
  });
}

/**
 * Many different characters of several classes without an order: no path, no sentence, no digest or id with its prefix.
 */
function isChance(word: string, before: string): boolean {
  if (/(?:sha\d{3}[:/-]|:\/\/|[/.@~-])$/.test(before) || word.includes('//') || /^[/_-]/.test(word)) return false;
  if (/^[0-9a-f-]+$/i.test(word)) return /^[0-9a-f]{40,}$/i.test(word) && /(?:^|[\s"'=:])$/.test(before);
  if (!/[a-z]/.test(word) || !/[A-Z]/.test(word) || !/\d/.test(word)) return false;
  // CamelCase words and parts of a path that are joined are long, but each part can be read.
  const unread = word.replaceAll(/[A-Z]?[a-z]{3,}|[A-Z]{3,}(?![a-z])/g, '').length;
  return entropyOf(word) >= bitsOfChance && unread / word.length > 0.45;
}

/** Shannon entropy in bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
