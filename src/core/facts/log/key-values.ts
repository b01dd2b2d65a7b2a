const pair =
  /(?:^|\s)([\w./@-]+)=(?:("(?:[^"\\]|\\.)*")|<\n([^]*?)\n >|(\{[^]*?\}(?=\s+[\w./@-]+=|$))|(\[[^\]]*\])|(\S*))/g;

/** `key="value" other=1`, as klog and logrus write them. */
export function pairsOf(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [, key = '', quoted, lines, object, list, bare] of text.matchAll(pair)) {
    const value = lines === undefined ? (object ?? list ?? bare ?? '') : lines.replaceAll(/^\t/gm, '');
    if (!values.has(key)) values.set(key, quoted === undefined ? value : goWord(quoted));
  }
  return values;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '"': '"', '\\': '\\' };

/** The text that Go wrote as %q. */
export function goWord(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gi, (whole, long?: string, short?: string, letter = '') => {
      const code = long ?? short;
      return code === undefined ? (escapes[letter as string] ?? whole) : String.fromCharCode(Number.parseInt(code, 16));
    });
}
