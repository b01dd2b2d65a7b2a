import stringWidth from 'string-width';

/**
 * Text whose characters all take one column: ASCII, Latin-1 and our own glyphs. Measuring any other text loads Unicode
 * tables, which takes longer than the rest of a report.
 */
const isPlain = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u00ff✔✖◌…─←→≤]*$/u;
let segmenter: Intl.Segmenter | undefined;
const graphemesOf = (word: string): Iterable<{ readonly segment: string }> =>
  isPlain.test(word)
    ? Array.from(word, (segment) => ({ segment }))
    : (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })).segment(word);

/** The columns that a text takes on a terminal: wide characters and emoji take two. */
export function displayWidth(text: string): number {
  return isPlain.test(text) ? text.length : stringWidth(text);
}

export function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0);
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** The width to lay text out for; a terminal with fewer than 40 columns wraps the lines itself. */
export function usableWidth(width: number): number {
  return Number.isNaN(width) || width <= 0 ? 80 : Math.max(40, Math.floor(width));
}

/** Breaks text at spaces; a word that is wider than a line is broken inside, if possible after punctuation. */
export function wrapText(text: string, width: number, firstWidth = width): string[] {
  return wrapPieces(text, width, firstWidth, breakWord);
}

/** Breaks text at spaces only: an identifier stays whole and can be copied, even where it is wider than the line. */
function wrapWords(text: string, width: number, firstWidth = width): string[] {
  return wrapPieces(text, width, firstWidth, (word) => [word]);
}

function wrapPieces(
  text: string,
  width: number,
  firstWidth: number,
  divide: (word: string, width: number) => readonly string[],
): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  let gap = '';
  for (const token of text.trim().split(/( +)/)) {
    if (token === '') continue;
    if (token.startsWith(' ')) {
      gap = token;
      continue;
    }
    const opensTheText = lines.length === 0 && line === '';
    for (const piece of divide(token, opensTheText ? firstWidth : width)) {
      const columns = displayWidth(piece);
      const gapColumns = line === '' ? 0 : gap.length;
      if (line !== '' && used + gapColumns + columns > (lines.length === 0 ? firstWidth : width)) {
        lines.push(line);
        line = piece;
        used = columns;
      } else {
        line += line === '' ? piece : gap + piece;
        used += gapColumns + columns;
      }
      gap = '';
    }
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}

function breakWord(word: string, width: number): string[] {
  if (displayWidth(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  let lastStop = 0;
  for (const { segment } of graphemesOf(word)) {
    const columns = displayWidth(segment);
    if (used + columns > width && piece !== '') {
      const cut = lastStop > piece.length / 2 ? lastStop : piece.length;
      pieces.push(piece.slice(0, cut));
      piece = piece.slice(cut);
      used = displayWidth(piece);
      lastStop = 0;
    }
    piece += segment;
    used += columns;
    if (/[/,;:&=?)\]}]$/.test(segment)) lastStop = piece.length;
  }
  pieces.push(piece);
  return pieces;
}

/** Wrapped text after a prefix; the other lines are indented to the text, or by `indent` columns. Words stay whole. */
export function hang(prefix: string, text: string, width: number, indent = displayWidth(prefix)): string[] {
  return indentLines(prefix, indent, wrapWords(text, ...roomFor(prefix, width, indent)));
}

/** The same for a place that no line may be wider than: long words are broken. */
export function hangWithin(prefix: string, text: string, width: number, indent = displayWidth(prefix)): string[] {
  return indentLines(prefix, indent, wrapText(text, ...roomFor(prefix, width, indent)));
}

function roomFor(prefix: string, width: number, indent: number): [number, number] {
  return [Math.max(10, width - indent), Math.max(10, width - displayWidth(prefix))];
}

function indentLines(prefix: string, indent: number, lines: readonly string[]): string[] {
  return lines.map((line, index) => ((index === 0 ? prefix : ' '.repeat(indent)) + line).trimEnd());
}
