import type { Kind } from '../../../core/kube/kinds.ts';
import { deletableKinds, scalableKinds } from '../../../core/engine/rehearse/what-if/operation-kinds.ts';
import { resourceNamed, resourceOf, typedNameOf } from '../../../core/kube/resources.ts';
import { rowKinds } from '../../../core/report/rows.ts';
import { goalsByKind } from '../../../core/report/wait.ts';
import type { Candidate, NameSource } from './names.ts';
import { openNames } from './names.ts';
import type { Position } from '../position.ts';
import type { Offer } from './complete.ts';
import { judgedKinds, listedKind, tracedKinds } from '../../../cli/targets.ts';
import { manifest } from '../../../cli/manifest.ts';

type Completer = (position: Position) => Promise<Offer> | Offer;

/** What may follow each command; the kinds are those that it takes, a bare name is of the first. */
export const argumentCompleters: Readonly<Record<string, Completer>> = {
  'why-pending': (position) => completeTargets(position, { kinds: judgedKinds.pending, isStuckOnly: true }),
  why: (position) => completeTargets(position, { kinds: judgedKinds.everything }),
  trace: (position) =>
    position.words.length > 1 || position.words[0]?.includes('/') === true
      ? { candidates: [] }
      : completeTargets(position, { kinds: tracedKinds }),
  wait: (position) => completeTargets(position, { kinds: Object.keys(goalsByKind) as [Kind, ...Kind[]] }),
  capture: (position) => completeTargets(position, { kinds: judgedKinds.everything }),
  'what-if': completeOperation,
  get: completeListed,
  explain: async ({ words }) => ({ candidates: words.length > 0 ? [] : await causeNames() }),
  rbac: ({ words }) => ({ candidates: commandsOfClusters().filter(({ value }) => !words.includes(value)) }),

  // A name is a driver of the cluster, a path is a socket of this machine.
  probe: async (position) =>
    /^[./]|^unix:/.test(position.begun)
      ? { candidates: [], files: true }
      : { candidates: await (await openNames(position.values)).names('CSIDriver') },
  completion: ({ words }) => ({
    candidates:
      words.length > 0
        ? []
        : ['bash', 'zsh', 'fish', 'powershell'].map((value) => ({ value, hint: `the script for ${value}` })),
  }),
};

const operations = ['drain', 'lose', 'delete', 'scale', 'apply', 'upgrade'];

/** The operation first, then what it acts on; after a plus sign the next operation. */
async function completeOperation(position: Position): Promise<Offer> {
  const start = position.words.lastIndexOf('+') + 1;
  const [verb, ...words] = position.words.slice(start);
  if (verb === undefined) return { candidates: operations.map((value) => ({ value })) };
  switch (verb) {
    case 'drain':
    case 'lose':
      return { candidates: without(words, await (await openNames(position.values)).names('Node')) };
    case 'delete':
      return completeTargets({ ...position, words }, { kinds: deletableKinds });
    case 'scale':
      return completeTargets({ ...position, words }, { kinds: scalableKinds });
    default:
      return { candidates: [] };
  }
}

/** The commands that need rights in a cluster; `rbac --check` needs none, since every user may ask about itself. */
function commandsOfClusters(): Candidate[] {
  return Object.values(manifest.commands)
    .filter(({ id, flags }) => 'kubeconfig' in flags && id !== 'rbac')
    .map(({ id, summary }) => ({ value: id, hint: summary }));
}

export async function causeNames(): Promise<Candidate[]> {
  const { readSentences } = await import('../../../cli/cause-pages.ts');
  return [...readSentences()].map(([value, hint]) => ({ value, hint }));
}

interface TargetChoice {
  readonly kinds: readonly [Kind, ...Kind[]];
  /** Offer only objects that are stuck. */
  readonly isStuckOnly?: boolean;
}

/** `TYPE/NAME …`, `TYPE NAME …` or `NAME …`, as cli/targets.ts reads them. */
async function completeTargets(
  { words, values, begun }: Position,
  { kinds, isStuckOnly = false }: TargetChoice,
): Promise<Offer> {
  if (values.get('all-namespaces')?.at(-1) === 'true' || values.has('selector')) return { candidates: [] };
  const source = await openNames(values);
  const namesOf = (kind: Kind): Promise<Candidate[]> => (isStuckOnly ? source.stuckNames(kind) : source.names(kind));
  const slash = begun.indexOf('/');
  if (slash >= 0) {
    const type = begun.slice(0, slash);
    const kind = kindOf(type, kinds);
    return { candidates: kind === undefined ? [] : without(words, prefixed(`${type}/`, await namesOf(kind))) };
  }
  const [first] = words;
  if (first === undefined) return completeFirst(begun, kinds, source, namesOf);
  const kind = first.includes('/') ? undefined : kindOf(first, kinds);
  if (kind !== undefined) return { candidates: without(words, await namesOf(kind)) };
  if (!first.includes('/')) return { candidates: without(words, await namesOf(kinds[0])) };
  const stuck = without(words, await stuckTargets(kinds, source)).filter(({ value }) => value.startsWith(begun));
  return stuck.length > 0
    ? { candidates: stuck }
    : { candidates: kinds.map((kind) => ({ value: `${typeWord(kind, begun)}/` })), isUnfinished: true };
}

/** The first word: objects that are stuck with their type, the types, and claims by name once a name has begun. */
async function completeFirst(
  begun: string,
  kinds: TargetChoice['kinds'],
  source: NameSource,
  namesOf: (kind: Kind) => Promise<Candidate[]>,
): Promise<Offer> {
  const [stuck, bare] = await Promise.all([stuckTargets(kinds, source), begun === '' ? [] : namesOf(kinds[0])]);
  const types = kinds.map((kind) => ({ value: typeWord(kind, begun), hint: `a type: ${resourceOf(kind).name}` }));
  // Types are offered where they help: if nothing is stuck, if a word has begun, or if the command takes many of them.
  return {
    candidates: [
      ...stuck,
      ...bare,
      ...(kinds.length > judgedKinds.pending.length || begun !== '' || stuck.length === 0 ? types : []),
    ],
  };
}

async function stuckTargets(kinds: readonly Kind[], source: NameSource): Promise<Candidate[]> {
  const lists = await Promise.all(
    judgedKinds.pending
      .filter((kind) => kinds.includes(kind))
      .map(async (kind) => prefixed(`${typeWord(kind)}/`, await source.stuckNames(kind))),
  );
  return lists.flat();
}

async function completeListed({ words: [type, ...names], values, begun }: Position): Promise<Offer> {
  if (type === undefined) {
    const slash = begun.indexOf('/');
    if (slash < 0) {
      const named = begun.slice(0, begun.lastIndexOf(',') + 1);
      const types = Object.entries(rowKinds).filter(
        ([kind]) => !named.split(',').some((word) => listedKind(word) === kind),
      );
      return {
        candidates: types.map(([kind, row]) => ({ value: named + row.type, hint: resourceOf(kind as Kind).name })),
      };
    }
    const typed = begun.slice(0, slash);
    const kind = listedKind(typed);
    return { candidates: kind === undefined ? [] : prefixed(`${typed}/`, await (await openNames(values)).names(kind)) };
  }
  const kind = listedKind(type);
  return {
    candidates:
      kind === undefined || values.get('all-namespaces')?.at(-1) === 'true'
        ? []
        : without(names, await (await openNames(values)).names(kind)),
  };
}

function kindOf(type: string, kinds: readonly Kind[]): Kind | undefined {
  const kind = resourceNamed(type)?.kind;
  return kind !== undefined && kinds.includes(kind) ? kind : undefined;
}

/** The short name of the kind, or another of its names that continues what is typed. */
function typeWord(kind: Kind, begun = ''): string {
  const { aliases, name } = resourceOf(kind);
  const usual = typedNameOf(kind);
  return usual.startsWith(begun) ? usual : ([...aliases, name].find((alias) => alias.startsWith(begun)) ?? usual);
}

const prefixed = (prefix: string, candidates: readonly Candidate[]): Candidate[] =>
  candidates.map((candidate) => ({ ...candidate, value: prefix + candidate.value }));
const without = (named: readonly string[], candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ value }) => !named.includes(value));
