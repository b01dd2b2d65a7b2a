/** One thing that a text says: an event, a line of a log, an error. */
export interface Statement {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
  /** How often the same was said, names and numbers apart. */
  readonly count: number;
  /** The text if its lines were broken inside of words, which their lengths alone do not show. */
  readonly unbroken?: string;
}

interface Line {
  text: string;
  readonly line: number;
  unbroken?: string;
}

/** No message is longer; a longer line is many records, or data, and is read in pieces that overlap. */
const longestStatement = 6000;
const pieceLength = 2500;
const overlap = 500;
/** A text with more different statements is read at its beginning and its end. */
const mostStatements = 20_000;
/** The rest of an error that was printed over several lines (k8s.io/mount-utils, kubelet). */
const continuation =
  /^\s*(?:Mounting command: |Mounting arguments: |Output: |mount(?:\.\w+)?: |in the list of registered CSI drivers)/;
/** A line that begins an event or a line of a log. */
const ownBeginning =
  /^\s*(?:Normal|Warning)\s|^[IWEF]\d{4} |^\[?\d{4}-\d\d-\d\d[T ]|^\s*[{}]|^(?:time|level|ts|msg)=|^\[pod\/|^[\w-]+\s+\d+[smhd]|^(?:\d+[smhdy])+\s|^\s*(?:(?:Mount|Map|Attach|Detach|Unmount)Volume\.|Multi-Attach error|Unable to attach or mount|[Ff]ailed to provision volume)/;
/** The same, or a heading, or nothing. */
const beginning = new RegExp(String.raw`^\s*$|^[A-Z][\w ()-]{1,40}:(?:\s|$)|${ownBeginning.source}`);
/** A terminal is not narrower, nor a line that it breaks. */
const narrowest = 40;

/** The statements of a text, each once, in their order. */
export function statementsOf(text: string): Statement[] {
  const known = new Map<string, Line & { count: number }>();
  for (const said of joinLines(text.split('\n'))) {
    const key = skeletonKey(said.text);
    const before = known.get(key);
    if (before) before.count += 1;
    else known.set(key, { ...said, count: 1 });
  }
  const all = [...known.values()];
  if (all.length <= mostStatements) return all;
  const telling = all.filter((statement) => tellingText.test(statement.text));
  return telling.length <= mostStatements
    ? telling
    : [...telling.slice(0, mostStatements / 2), ...telling.slice(-mostStatements / 2)];
}

/** Of a long log only these lines are compared with the wordings. */
const tellingText =
  /volume|claim|\bpvc?\b|storage|snapshot|\bcsi|mount|attach|bucket|disk|provision|resiz|expan|node|driver|rpc error|code =|space left|read-only|inconsistency|populat|selinux|evict|device/i;

function joinLines(lines: readonly string[]): Line[] {
  const joined: Line[] = [];
  let isOutput = false;
  let fold: Fold | undefined;
  for (const [index, line] of lines.entries()) {
    if (line.length > longestStatement) {
      joined.push(...piecesOf(line).map((text) => ({ text, line: index + 1 })));
      continue;
    }
    const last = joined.at(-1);
    const isFolded = fold !== undefined && isOfFold(line, fold);
    const isMore =
      last !== undefined &&
      last.text.length < longestStatement &&
      (continuation.test(line) || (isOutput && !beginning.test(line)) || isFolded);
    if (isMore && last) {
      last.text += isFolded ? ` ${line.trim()}` : `\n${line}`;
      isOutput ||= continuation.test(line);
      if (fold) fold = { ...fold, isOpen: fold.isOpen && !endsWith(line, fold.quote) };
      continue;
    }
    isOutput = false;
    fold = foldOf(line);
    if (line.trim() !== '') joined.push({ text: `${stepOf(line, lines[index - 1])}${line}`, line: index + 1 });
  }
  return unwrapped(joined, lines).map(({ text, line, unbroken }) => ({
    text: plainWords(text),
    line,
    ...(unbroken !== undefined && { unbroken: plainWords(unbroken) }),
  }));
}

function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < line.length && pieces.length < mostStatements; start += pieceLength - overlap)
    pieces.push(line.slice(start, start + pieceLength));
  return pieces;
}

/** The field of a VolumeAttachment that holds an error says which step failed. */
const failedStep = /^\s*"?(attach|detach) ?error"?: *\{?\s*$/i;
const message = /^\s*"?message"?:/i;

function stepOf(line: string, before: string | undefined): string {
  const step = message.test(line) ? failedStep.exec(before ?? '')?.[1] : undefined;
  return step === undefined ? '' : `${step.toLowerCase()}Error: `;
}

/** A message that YAML folds over several lines. */
interface Fold {
  readonly indent: number;
  readonly quote: string;
  readonly isOpen: boolean;
}

function foldOf(line: string): Fold | undefined {
  const match = /^( *(?:- )?)(?:message|note):(?: +(.*))?$/.exec(line);
  if (!match) return undefined;
  const value = match[2] ?? '';
  const quote = /^["']/.exec(value)?.[0] ?? '';
  return { indent: (match[1] ?? '').length, quote, isOpen: quote !== '' && !endsWith(value.slice(1), quote) };
}

/** A quotation mark that YAML escapes is doubled, or has a backslash before it. */
function endsWith(line: string, quote: string): boolean {
  return (
    quote !== '' &&
    line
      .trimEnd()
      .replace(/''|\\"/g, '')
      .endsWith(quote)
  );
}

function isOfFold(line: string, { indent, quote, isOpen }: Fold): boolean {
  if (line.trim() === '') return false;
  return quote === '' ? line.length - line.trimStart().length > indent : isOpen;
}

/**
 * Lines that a terminal or an editor has broken, put together again. A line was broken if the next word did not fit: no
 * line of its block is longer than it would be with that word.
 */
function unwrapped(joined: readonly Line[], lines: readonly string[]): Line[] {
  const whole: Line[] = [];
  for (const block of blocksOf(joined, lines)) {
    const widest = widestOf(block);
    const isHard = isBrokenHard(block, widest);
    let before: string | undefined;
    for (const { text, line } of block) {
      const last = whole.at(-1);
      const isRest = before !== undefined && isWrap(before, text, widest);
      before = text.split('\n').at(-1);
      if (!isRest || !last || last.text.length > longestStatement) whole.push({ text, line });
      else {
        if (isHard) last.unbroken = `${last.unbroken ?? last.text}${text.trimStart()}`;
        last.text += ` ${text.trim()}`;
      }
    }
  }
  return whole;
}

/** Lines without an empty one between them. */
function blocksOf(joined: readonly Line[], lines: readonly string[]): Line[][] {
  const blocks: Line[][] = [];
  for (const entry of joined) {
    const isNew = blocks.length === 0 || lines[entry.line - 2]?.trim() === '' || ownBeginning.test(entry.text);
    if (isNew) blocks.push([entry]);
    else blocks.at(-1)?.push(entry);
  }
  return blocks;
}

/** A word that is longer than the terminal is wide, such as a path, is alone on its line. */
function widestOf(block: readonly Line[]): number {
  const lines = block.flatMap(({ text }) => text.split('\n')).map((text) => text.trim());
  return Math.max(0, ...lines.filter((text) => /\s/.test(text)).map(({ length }) => length));
}

function isWrap(line: string, next: string, widest: number): boolean {
  const length = line.trim().length;
  const firstWord = next.trim().split(/\s/, 1)[0] ?? '';
  return widest >= narrowest && widest <= longestLine && length + 1 + firstWord.length > widest;
}
/** No terminal is wider. */
const longestLine = 300;

/** A terminal that breaks inside of words fills every line but the last. */
function isBrokenHard(block: readonly Line[], widest: number): boolean {
  const full = block.slice(0, -1);
  return full.length > 0 && full.every(({ text }) => text.length >= Math.max(widest, narrowest) - 1);
}

/** JSON and Go escape quotation marks. */
function plainWords(text: string): string {
  return text.replace(/\\+n/g, ' ').replace(/\\+"/g, '"').replace(/''/g, "'").trim();
}

/** Times, ids and numbers differ from line to line of a log that says the same. */
function skeletonKey(text: string): string {
  return text.replace(/[0-9a-f]{8}-[0-9a-f-]{20,}/gi, '*').replace(/\d+/g, '#');
}
