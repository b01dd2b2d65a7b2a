const integer = /^[-+]?[0-9]+$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const otherNumber = /^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

/** Thrown if only the full parser can determine the meaning of the text. */
export const giveUp = new Error('not plain block style');

const misread = / #|:(?: |$)|\t/;
const misreadAtFirst = /^(?:[&*!%@`#,\]}]|[-?:](?: |$))/;

/** Rejects plain text that YAML reads as something else. */
export function checkPlain(text: string, isFirst: boolean): void {
  if (misread.test(text)) throw giveUp;
  if (isFirst && misreadAtFirst.test(text)) throw giveUp;
}

export function closingQuote(text: string, quote: '"' | "'"): number {
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (quote === "'") {
      if (text[at + 1] !== "'") return at;
      at += 1;
      continue;
    }
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** Line folding: one break is a space, each further one a line break. */
export function fold(parts: readonly string[]): string {
  let text = parts[0] ?? '';
  let pending = 0;
  for (let at = 1; at < parts.length; at += 1) {
    const part = parts[at] as string;
    if (part === '' && at < parts.length - 1) {
      pending += 1;
      continue;
    }
    text += (pending > 0 ? '\n'.repeat(pending) : ' ') + part;
    pending = 0;
  }
  return text;
}

/** Like fold, but a backslash at the end of a line joins without a space. */
export function foldEscaped(parts: readonly string[]): string {
  let text = '';
  let pending = 0;
  let joined = true;
  parts.forEach((part, at) => {
    if (part === '' && at > 0 && at < parts.length - 1) {
      pending += 1;
      return;
    }
    const space = joined ? '' : ' ';
    text += pending > 0 ? '\n'.repeat(pending) : space;
    pending = 0;
    let slashes = 0;
    while (part.charCodeAt(part.length - 1 - slashes) === 92) slashes += 1;
    joined = slashes % 2 === 1;
    text += joined ? part.slice(0, -1) : part;
  });
  return text;
}

export function unescape(raw: string): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))/g,
    (_, two?: string, four?: string, eight?: string, one?: string) => {
      const code = two ?? four ?? eight;
      if (code !== undefined) {
        const point = Number.parseInt(code, 16);
        if (point > 0x10ffff) throw giveUp;
        return eight === undefined ? String.fromCharCode(point) : String.fromCodePoint(point);
      }
      const escaped = escapes[one ?? ''];
      if (escaped === undefined) throw giveUp;
      return escaped;
    },
  );
}

/** The YAML 1.2 core schema. */
export function resolvePlain(text: string): unknown {
  switch (text) {
    case 'null':
    case 'Null':
    case 'NULL':
    case '~':
      return null;
    case 'true':
    case 'True':
    case 'TRUE':
      return true;
    case 'false':
    case 'False':
    case 'FALSE':
      return false;
  }
  const first = text.charCodeAt(0);
  const mayBeNumber = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (!mayBeNumber) return text;
  if (integer.test(text) || float.test(text)) return Number(text);
  if (otherNumber.test(text)) throw giveUp;
  return text;
}
