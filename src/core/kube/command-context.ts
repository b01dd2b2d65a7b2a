import { clusterFlags, helmFlags } from './context-flag.ts';
import type { ClusterChoice } from './context-flag.ts';

/** The subcommands of `kubectl csi` that read no cluster and take no --context. */
const clusterless: ReadonlySet<string> = new Set(['explain', 'causes', 'completion', 'demo', 'help']);

/** kubectl's own commands. Any other word after `kubectl` is a plugin, and flags of a plugin follow its name. */
const builtIn: ReadonlySet<string> = new Set(
  (
    'annotate api-resources api-versions apply attach auth autoscale certificate cluster-info config cordon cp create ' +
    'debug delete describe diff drain edit events exec explain expose get kustomize label logs options patch ' +
    'port-forward proxy replace rollout run scale set taint top uncordon version wait'
  ).split(' '),
);
/** Programs that start the program after them, with options of their own in between. */
const starters: ReadonlySet<string> = new Set(
  'sudo env xargs time nohup timeout watch exec command nice then do else if while until ! { ('.split(' '),
);

/** A word of a shell command as it is written, and where. */
interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The word is what `>` writes. */
  readonly isTarget?: true;
}

interface Edit {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

/** A cluster, and the files of the commands for it. */
export interface CommandPlace extends ClusterChoice {
  /**
   * Begins the names of the files that commands write, so that the files of two clusters do not overwrite each other.
   */
  readonly filePrefix: string;
  /** The files that the commands of this cluster write, as they are written there. */
  readonly files: ReadonlySet<string>;
}

/** The files that these commands write to the current directory. */
export function filesWritten(commands: readonly string[]): Set<string> {
  const files = commands.flatMap((command) =>
    wordsOf(command)
      .flat()
      .filter(({ isTarget, text }) => isTarget === true && !/^&\d|^\/dev\//.test(text))
      .map(({ text }) => text),
  );
  return new Set(files);
}

/**
 * The same command for one of several clusters: every kubectl in it, also behind a pipe, in a substitution or before a
 * here-document, gets --context, helm its --kube-context, and the files that it writes and reads get names of their
 * own.
 */
export function commandInContext(command: string, place: CommandPlace): string {
  const edits = wordsOf(command).flatMap((words) => [...flagEdits(words, place), ...fileEdits(words, place)]);
  let result = command;
  for (const { at, length, text } of edits.toSorted((one, other) => other.at - one.at))
    result = result.slice(0, at) + text + result.slice(at + length);
  return result;
}

/** Commands and saved files inside a sentence: `which kubectl get pv shows`. */
export function sentenceInContext(sentence: string, place: CommandPlace): string {
  const { files, filePrefix } = place;
  const flags = clusterFlags(place);
  const placed = sentence.replaceAll(/\bkubectl (?:(csi [a-z-]+)|([a-z-]+))/g, (written, ours?: string, verb = '') => {
    if (ours !== undefined) return clusterless.has(ours.slice(4)) ? written : `${written} ${flags}`;
    return builtIn.has(verb) ? `kubectl ${flags} ${verb}` : written;
  });
  return [...files].reduce(
    (text, file) =>
      text.replaceAll(new RegExp(`(?<![\\w./-])${escapePattern(file)}(?![\\w/-])`, 'g'), () => filePrefix + file),
    placed,
  );
}

/** A text as part of a regular expression. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function flagEdits(words: readonly Word[], choice: ClusterChoice): Edit[] {
  const first = words.findIndex(({ text }) => !/^\w+=/.test(text));
  if (first === -1) return [];
  const isStarter = starters.has(words[first]?.text ?? '');
  const program = words.findIndex(
    ({ text }, index) => (index === first || (isStarter && index > first)) && /^(?:kubectl|helm)$/.test(text),
  );
  const name = words[program];
  if (name === undefined || words.some(({ text }) => /^--(?:(?:kube-)?context|kubeconfig)(?:=|$)/.test(text)))
    return [];
  const after = (word: Word, flags = clusterFlags(choice)): Edit[] =>
    flags === '' ? [] : [{ at: word.end, length: 0, text: ` ${flags}` }];
  if (name.text === 'helm') return after(name, helmFlags(choice));
  const [verb, sub] = [words[program + 1], words[program + 2]];
  if (verb === undefined || verb.text.startsWith('-') || builtIn.has(verb.text)) return after(name);
  if (verb.text !== 'csi') return after(verb);
  return clusterless.has(sub?.text ?? '') ? [] : after(sub ?? verb);
}

function fileEdits(words: readonly Word[], { files, filePrefix }: CommandPlace): Edit[] {
  return words.flatMap(({ text, start }) => {
    const begin = files.has(text) ? 0 : text.indexOf('=') + 1;
    if (!files.has(text.slice(begin))) return [];
    // Behind the quote of a quoted name.
    const quote = /^\$?'/.exec(text.slice(begin))?.[0].length ?? 0;
    return [{ at: start + begin + quote, length: 0, text: filePrefix }];
  });
}

/** The words of each program that a command starts, in the shell's language as far as printed commands use it. */
function wordsOf(command: string): Word[][] {
  const programs: Word[][] = [];
  readPrograms(command, 0, '', programs);
  return programs.filter((words) => words.length > 0);
}

/** Reads programs up to `end`, which closes a substitution, and returns the position after it. */
function readPrograms(text: string, from: number, end: string, programs: Word[][]): number {
  let at = from;
  let words: Word[] = [];
  let isTarget = false;
  let heredocs: string[] = [];
  const next = (): void => {
    if (words.length > 0) programs.push(words);
    words = [];
  };
  while (at < text.length) {
    const rest = text.slice(at);
    if (end !== '' && rest.startsWith(end)) {
      next();
      return at + end.length;
    }
    const heredoc = /^<<-?\s*\\?(['"]?)([\w.-]+)\1/.exec(rest);
    const operator = /^(?:\d?>{1,2}|<(?![(<]))/.exec(rest)?.[0];
    const blank = /^(?:[ \t]+|\\\n)/.exec(rest)?.[0];
    if (blank !== undefined) at += blank.length;
    else if (rest.startsWith('\n')) {
      next();
      at = skipHeredocs(text, at + 1, heredocs);
      heredocs = [];
    } else if (/^(?:\|\||&&|[|;&()])/.test(rest) && !/^&\d/.test(rest)) {
      next();
      at += /^(?:\|\||&&)/.test(rest) ? 2 : 1;
    } else if (heredoc) {
      heredocs.push(heredoc[2] as string);
      at += heredoc[0].length;
    } else if (operator !== undefined && !/^\d?>\(/.test(rest)) {
      isTarget = operator.includes('>');
      at += operator.length;
    } else {
      const stop = /^&\d/.test(rest) ? at + 2 : readWord(text, at, programs, end);
      words.push({ text: text.slice(at, stop), start: at, end: stop, ...(isTarget && { isTarget }) });
      isTarget = false;
      at = stop;
    }
  }
  next();
  return at;
}

/** The lines of a here-document are data. */
function skipHeredocs(text: string, from: number, ends: readonly string[]): number {
  return ends.reduce((at, end) => {
    const close = new RegExp(`^\\t*${escapePattern(end)}$`, 'm').exec(text.slice(at));
    return close ? at + close.index + close[0].length : text.length;
  }, from);
}

/** The position after the word that begins here; the programs of its substitutions are added. */
function readWord(text: string, from: number, programs: Word[][], end: string): number {
  let at = from;
  let isQuoted = false;
  while (at < text.length) {
    const rest = text.slice(at);
    if (rest.startsWith('\\')) at += 2;
    else if (!isQuoted && /^\$?'/.test(rest))
      at += /^(?:\$'(?:[^'\\]|\\.)*'|'[^']*')/s.exec(rest)?.[0].length ?? rest.length;
    else if (rest.startsWith('"')) {
      isQuoted = !isQuoted;
      at += 1;
    } else if (/^[$<>]\(/.test(rest)) at = readPrograms(text, at + 2, ')', programs);
    else if (rest.startsWith('`') && end !== '`') at = readPrograms(text, at + 1, '`', programs);
    else if (!isQuoted && (/^[\s|;&()<>]/.test(rest) || (end !== '' && rest.startsWith(end)))) break;
    else at += 1;
  }
  return Math.max(at, from + 1);
}
