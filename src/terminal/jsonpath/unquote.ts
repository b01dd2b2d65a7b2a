const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};
const escape = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([^]?))/g;

/**
 * The text between two quotes, with the escapes of Go (strconv.UnquoteChar). An escape that Go does not have gives
 * undefined.
 */
export function unquote(text: string, quote: string): string | undefined {
  let isKnown = true;
  const plain = text.replaceAll(
    escape,
    (_whole, hex?: string, short?: string, long?: string, octal?: string, letter = '') => {
      const digits = hex ?? short ?? long;
      const code = digits === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(digits, 16);
      if (code <= 0x10ffff) return String.fromCodePoint(code);
      const character = letter === quote ? quote : escapes[letter];
      isKnown &&= character !== undefined;
      return character ?? '';
    },
  );
  return isKnown ? plain : undefined;
}
