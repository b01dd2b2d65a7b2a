/** One thing that a text says: an event, a line of a log, an error. */
export interface Statement {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
  /** How often the same was said, names and numbers apart. */
  readonly count: number;
}

/** No message is longer; a line beyond it is data. */
const longestStatement = 6000;
/** A text with more different statements is searched up to here. */
const mostStatements = 20_000;
/** The rest of an error that was printed over several lines (k8s.io/mount-utils, kubelet). */
const continuation =
  /^\s*(?:Mounting command: |Mounting arguments: |Output: |mount(?:\.\w+)?: |in the list of registered CSI drivers)/;
/** A line that begins something new: an event, a line of a log, a heading, nothing. */
const beginning =
  /^\s*$|^\s*(?:Normal|Warning)\s|^[IWEF]\d{4} |^\d{4}-\d\d-\d\d[T ]|^[A-Z][\w ()-]{1,40}:(?:\s|$)|^[\w-]+\s+\d+[smhd]/;

/** The statements of a text, each once, in their order. */
export function statementsOf(text: string): Statement[] {
  const known = new Map<string, { text: string; line: number; count: number }>();
  for (const { text: said, line } of joinLines(text.split('\n'))) {
    const key = skeletonKey(said);
    const before = known.get(key);
    if (before) before.count += 1;
    else if (known.size < mostStatements) known.set(key, { text: said, line, count: 1 });
  }
  return [...known.values()];
}

function joinLines(lines: readonly string[]): { text: string; line: number }[] {
  const joined: { text: string; line: number }[] = [];
  let isOutput = false;
  let isFolded: number | undefined;
  for (const [index, raw] of lines.entries()) {
    const line = raw.length > longestStatement ? raw.slice(0, longestStatement) : raw;
    const last = joined.at(-1);
    const isMore =
      last !== undefined &&
      last.text.length < longestStatement &&
      (continuation.test(line) ||
        (isOutput && !beginning.test(line)) ||
        (isFolded !== undefined && isDeeper(line, isFolded)));
    if (isMore && last) {
      last.text += isFolded === undefined ? `\n${line}` : ` ${line.trim()}`;
      isOutput ||= continuation.test(line);
      continue;
    }
    isOutput = false;
    isFolded = indentOfMessage(line);
    if (line.trim() !== '') joined.push({ text: line, line: index + 1 });
  }
  return joined.map(({ text, line }) => ({ text: plainWords(text), line }));
}

/** YAML folds a long message over lines that are indented further. */
function indentOfMessage(line: string): number | undefined {
  const match = /^( *)(?:- )?(?:message|note):(?: |$)/.exec(line);
  return match ? (match[1] ?? '').length : undefined;
}

function isDeeper(line: string, indent: number): boolean {
  return line.trim() !== '' && line.length - line.trimStart().length > indent && !/^\s*[\w.-]+:(?: |$)/.test(line);
}

/** JSON and Go escape quotation marks, word processors bend them. */
function plainWords(text: string): string {
  return text
    .replace(/\\+n/g, ' ')
    .replace(/\\+"/g, '"')
    .replace(/[\u201C\u201D\u201E]/g, '"')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/''/g, "'")
    .trim();
}

/** Times, ids and numbers differ from line to line of a log that says the same. */
function skeletonKey(text: string): string {
  return text.replace(/[0-9a-f]{8}-[0-9a-f-]{20,}/gi, '*').replace(/\d+/g, '#');
}
