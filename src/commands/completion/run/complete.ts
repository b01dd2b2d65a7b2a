import type { Candidate, FlagValues } from './names.ts';
import { findPosition } from '../position.ts';
import type { Position } from '../position.ts';
import { manifest } from '../../../cli/manifest.ts';
import type { ManifestFlag } from '../../../cli/manifest.ts';

/** What can be typed where the Tab key was pressed. */
export interface Offer {
  readonly candidates: readonly Candidate[];
  /** The shell completes paths. */
  readonly files?: boolean;
  readonly directories?: boolean;
  /** The word continues after the candidate. */
  readonly isUnfinished?: boolean;
}

/** The bits of the last line, as in kubectl's own completion (spf13/cobra, ShellCompDirective). */
const directives = { none: 0, noSpace: 2, noFiles: 4, onlyDirectories: 16 } as const;
/** With a longer wait for a Tab the terminal seems to hang; KUBECTL_CSI_COMPLETION_TIMEOUT sets another limit. */
const usualPatienceMs = 1800;
/** Time kept for our own work after the last answer of the cluster. */
const reserveMs = 300;

function patienceMs(): number {
  const seconds = Number(process.env['KUBECTL_CSI_COMPLETION_TIMEOUT']);
  return seconds > 0 && seconds <= 60 ? seconds * 1000 : usualPatienceMs;
}

/**
 * Answers kubectl's completion request for a plugin: the words after its name, the last of them unfinished. One
 * candidate a line, with a tab before its description, and at the end the directive for the shell. Errors only make the
 * list shorter.
 */
export async function completeLine(line: readonly string[]): Promise<string> {
  const found = findPosition(line, manifest);
  const position = {
    ...found,
    values: new Map([...found.values, ['request-timeout', [`${patienceMs() - reserveMs}ms`]]]),
  };
  const offer = await inTime(() => offerAt(position)).catch(() => nothing);
  const fitting = [...new Map(offer.candidates.map((candidate) => [candidate.value, candidate])).values()].filter(
    ({ value }) => value.startsWith(position.begun) && isTypeable(value),
  );
  const lines = fitting
    .sort((a, b) => (a.value < b.value ? -1 : 1))
    .map(({ value, hint }) => position.attached + value + (hint === undefined ? '' : `\t${plain(hint)}`));
  return [...lines, `:${directiveOf(offer)}`].join('\n');
}

const nothing: Offer = { candidates: [] };

function inTime(work: () => Promise<Offer>): Promise<Offer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(nothing), patienceMs());
    work()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

async function offerAt(position: Position): Promise<Offer> {
  const { command, wanted, words } = position;
  if (wanted === 'command')
    return {
      candidates: Object.values(manifest.commands)
        .filter(({ id }) => !id.includes(' '))
        .map(({ id, summary }) => ({ value: id, hint: summary })),
    };
  if (wanted === 'flag') return { candidates: flagNames(position) };
  if (wanted === 'value') return position.flag === undefined ? nothing : offerValues(position.flag, position);
  if (command === undefined) return nothing;
  const further =
    words.length > 0
      ? []
      : Object.values(manifest.commands)
          .filter(({ id }) => id.startsWith(`${command.id} `))
          .map(({ id, summary }) => ({ value: id.slice(command.id.length + 1), hint: summary }));
  const { argumentCompleters } = await import('./arguments.ts');
  const offer = await argumentCompleters[command.id]?.(position);
  return { ...offer, candidates: [...further, ...(offer?.candidates ?? [])] };
}

function flagNames({ command, values, begun }: Position): Candidate[] {
  const flags = Object.values(command?.flags ?? {}).filter(
    (flag) => flag.hidden !== true && (flag.multiple === true || !values.has(flag.name)),
  );
  const help: ManifestFlag = { name: 'help', type: 'boolean', char: 'h', summary: 'Show this help' };
  return [...flags, help].flatMap(({ name, char, summary }) => {
    const hint = summary === undefined ? {} : { hint: summary };
    return [
      { value: `--${name}`, ...hint },
      ...(char === undefined || begun !== '-' ? [] : [{ value: `-${char}`, ...hint }]),
    ];
  });
}

/** By the name of the flag, or else by what its help calls the value. */
async function offerValues(flag: ManifestFlag, { command, values, begun }: Position): Promise<Offer> {
  if (flag.formats !== undefined) return offerFormats([...flag.formats, 'jsonpath='], begun);
  if (flag.options !== undefined) return { candidates: flag.options.map((value) => ({ value })) };
  const byName = valueCompleters[`${command?.id ?? ''} --${flag.name}`] ?? valueCompleters[flag.name];
  if (byName !== undefined) return byName(values, begun);
  if (flag.helpValue === 'FILE' || flag.helpValue === 'PATH') return { candidates: [], files: true };
  return flag.helpValue === 'DIR' ? { candidates: [], directories: true } : nothing;
}

const valueCompleters: Readonly<Record<string, (values: FlagValues, begun: string) => Promise<Offer> | Offer>> = {
  namespace: (values) => objectNames('Namespace', values),
  driver: (values) => objectNames('CSIDriver', values),
  node: (values) => objectNames('Node', values),
  context: (values) => configNames('contexts', values),
  contexts: completeContexts,
  cluster: (values) => configNames('clusters', values),
  user: (values) => configNames('users', values),
  ignore: async () => ({ candidates: await (await import('./arguments.ts')).causeNames() }),
  bind: () => ({ candidates: ['user:', 'group:', 'serviceaccount:'].map((value) => ({ value })), isUnfinished: true }),
  for: async () => ({ candidates: (await import('../../../core/report/wait.ts')).goals.map((value) => ({ value })) }),
  'get --output': (_values, begun) =>
    offerFormats(['text', 'wide', 'json', 'yaml', 'name', 'jsonpath=', 'custom-columns='], begun),
  'kubelet-root': () => ({ candidates: [], directories: true }),
};

/** After a format that ends with "=", its template or columns follow. */
function offerFormats(formats: readonly string[], begun: string): Offer {
  const fitting = formats.filter((format) => format.startsWith(begun));
  const isUnfinished = fitting.every((format) => format.endsWith('='));
  return { candidates: formats.map((value) => ({ value })), isUnfinished };
}

async function objectNames(kind: 'Namespace' | 'CSIDriver' | 'Node', values: FlagValues): Promise<Offer> {
  const { openNames } = await import('./names.ts');
  return { candidates: await (await openNames(values)).names(kind) };
}

async function configNames(what: 'contexts' | 'clusters' | 'users', values: FlagValues): Promise<Offer> {
  const { loadKubeconfig } = await import('../../../io/cluster/kubeconfig.ts');
  const config = await loadKubeconfig(values.get('kubeconfig')?.at(-1), process.env);
  return { candidates: [...config[what].keys()].map((value) => ({ value })) };
}

/**
 * Names separated by commas: what is typed before the last comma is part of every candidate, and none is offered twice.
 */
async function completeContexts(values: FlagValues, begun: string): Promise<Offer> {
  const named = begun.slice(0, begun.lastIndexOf(',') + 1);
  const taken = new Set(named.split(','));
  const { candidates } = await configNames('contexts', values);
  return {
    candidates: candidates
      .filter(({ value }) => !taken.has(value))
      .map((candidate) => ({ ...candidate, value: named + candidate.value })),
    isUnfinished: true,
  };
}

function directiveOf({ files = false, directories = false, isUnfinished = false }: Offer): number {
  if (directories) return directives.onlyDirectories;
  return (files ? directives.none : directives.noFiles) + (isUnfinished ? directives.noSpace : 0);
}

/**
 * Each line of the answer is one candidate, so a name with a tab, a line break or another control character is left
 * out.
 */
const isTypeable = (value: string): boolean => value !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value);
const plain = (hint: string): string => hint.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
