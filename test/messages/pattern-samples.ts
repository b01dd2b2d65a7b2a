/** Texts that a pattern matches: one for each way through its alternatives, with plain words where any text fits. */
export function samplesOf(source: string): string[] {
  const reader = { source, at: 0 };
  const samples = alternatives(reader);
  const pattern = new RegExp(source, 'i');
  return [...new Set(samples.map((sample) => sample.replace(/\s+/g, ' ').trim()))].filter((text) => pattern.test(text));
}

interface Reader {
  readonly source: string;
  at: number;
}

/** More ways than these are combinations of the same words. */
const most = 24;

function alternatives(reader: Reader): string[] {
  const all: string[] = [];
  let current = [''];
  while (reader.at < reader.source.length && reader.source[reader.at] !== ')') {
    if (reader.source[reader.at] === '|') {
      reader.at += 1;
      all.push(...current);
      current = [''];
      continue;
    }
    const part = repeated(reader, atom(reader));
    current = current.flatMap((text) => part.map((more) => text + more)).slice(0, most);
  }
  return [...all, ...current];
}

const escapes: Readonly<Record<string, string>> = { d: '3', w: 'x', S: 'x1', s: ' ', b: '', W: ' ', n: ' ' };

function atom(reader: Reader): string[] {
  const char = reader.source[reader.at] ?? '';
  reader.at += 1;
  if (char === '(') return group(reader);
  if (char === '[') return [ofClass(reader)];
  if (char === '.') return ['x'];
  if (char === '^' || char === '$') return [''];
  if (char !== '\\') return [char];
  const escaped = reader.source[reader.at] ?? '';
  reader.at += 1;
  return [escapes[escaped] ?? escaped];
}

function group(reader: Reader): string[] {
  const prefix = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(reader.source.slice(reader.at))?.[0] ?? '';
  reader.at += prefix.length;
  const inside = alternatives(reader);
  reader.at += 1;
  return /[=!]$/.test(prefix) ? [''] : inside;
}

/** `[^"]` takes a name, `[Ww]` its first letter. */
function ofClass(reader: Reader): string {
  const end = reader.source.indexOf(']', reader.at + 1);
  const inside = reader.source.slice(reader.at, end);
  reader.at = end + 1;
  if (inside.startsWith('^')) return 'x1';
  if (inside.startsWith('\\')) return escapes[inside[1] ?? ''] ?? inside[1] ?? '';
  return inside[0] ?? '';
}

function repeated(reader: Reader, part: readonly string[]): string[] {
  const mark = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at))?.[0] ?? '';
  reader.at += mark.length;
  if (mark.startsWith('?')) return [...part, ''];
  if (mark.startsWith('*')) return part.length === 1 && part[0] === 'x' ? [' x '] : [...part];
  return [...part];
}
