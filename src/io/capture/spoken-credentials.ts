import { spokenWords } from './vocabulary.ts';
import { redacted } from './redacted.ts';

/** The nouns that precede a credential in a sentence. A bare `secret` or `key` names an object far more often. */
const spokenNames =
  'pass(?:word|wd|phrase|code)s?|pwd|pw|(?:chap|client|shared|api|mutual)[ ' +
  '_-]secrets?|(?:secret|access|api|auth|authentication|account|shared|encryption|user|private)[ ' +
  '_-]?keys?|credentials?|tokens?';
/** `password "X"`, `chap password X`, `pwd X`, `passphrase is X`, `the password for user bob is X`. */
const spoken = new RegExp(
  `(?<![\\w"'/.-])(?<!non-existent ` +
    `)(${spokenNames})((?:(?:\\s+(?:for|of)\\s+(?:the\\s+)?(?:user\\s+|account\\s+)?["']?[\\w.@-]+["']?)?\\s+(?:is|was|are)(?:\\s+now)?)?\\s*:?\\s+)("(?:[^"\\\\]|\\\\.)*"|'[^']*'|\`[^\`]*\`|“[^”]*”|[^\\s"'\`]+)`,
  'gi',
);

/** Words that follow "password" in a sentence about passwords. */
const followers = new Set(
  `accepted against aging ago also although always annotation attempt authentication auth based because been before below blank cannot changed changes check combination complexity configured contains correct could data decryption did differs disabled doesn didn encrypted entered entry exceeds expiration expired expires field file forgotten given hash hashes hashing has history incorrect input invalid key length login longer lookup manager may mismatch mismatched missing must needs nor not obtained option parameter phrase policy prompt properties property protected protection provided received rejected requirement requirements required requires reset retrieval retrieved rotated rotation rule rules salt set should specified store stored string strength supplied than then unset unexpected validation verification via was weak whose won would wrong`.split(
    ' ',
  ),
);

/** Removes a credential that a sentence names in words. */
export function scrubSpoken(text: string, isIdentifier: (word: string) => boolean): string {
  return text.replaceAll(spoken, (whole, name: string, between: string, value: string) => {
    const quoted = /^(["'`“])([^]*)(["'`”])$/.exec(value);
    const bare = quoted?.[2] ?? value.replace(/[.,;:!?)\]}]+$/, '');
    const isPassword = /^(?:pass|pwd|pw)|secrets?$/i.test(name);
    if (bare === '' || bare.includes(redacted) || isIdentifier(bare) || isPlain(bare, quoted !== null)) return whole;
    if (!isPassword && !isMixed(bare)) return whole;
    if (quoted) return `${name}${between}${quoted[1]}${redacted}${quoted[3]}`;
    return `${name}${between}${redacted}${value.slice(bare.length)}`;
  });
}

/** A word of English, a path, a variable or a placeholder: the sentence contains no credential. */
function isPlain(word: string, isQuoted: boolean): boolean {
  if (/^(?:[/$<(]|\.{1,2}\/|%[svqd]|\*+$|-)/.test(word) || !/[\p{L}\p{N}]/u.test(word)) return true;
  if (isQuoted) return /^(?:true|false|null|nil|none|<nil>)$/i.test(word);
  const lower = word.toLowerCase().replace(/n't$|'s$/, '');
  return spokenWords.has(lower) || followers.has(lower);
}

function isMixed(word: string): boolean {
  return word.length >= 6 && /\d/.test(word) && /[A-Za-z]/.test(word);
}
