/**
 * Quotes a name for a shell where needed: names come from the cluster and must never run as a command. A word that
 * begins with a dash is quoted too: the quotes show `guardCommand` that it is a name and not an option.
 */
export function shellWord(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./][A-Za-z0-9_@%+=:,./-]*$/.test(text)) return text;
  return unprintable.test(text)
    ? `$'${text.replaceAll(/[\\']|\p{C}|[\u2028\u2029]/gu, escapeCharacter)}'`
    : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Control and invisible characters: a terminal does not show them, so a name with them could not be copied. */
const unprintable = /\p{C}|[\u2028\u2029]/u;

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === '\\' || character === "'") return `\\${character}`;
  if (character === '\n') return '\\n';
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
