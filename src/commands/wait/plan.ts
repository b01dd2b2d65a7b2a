import { UserError } from '../../core/kube/errors.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import { parseLabelSelector } from '../../core/kube/selectors.ts';
import { goals, goalsByKind } from '../../core/report/wait.ts';
import type { Goal, WaitableKind } from '../../core/report/wait.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { parseDuration } from '../../cli/duration.ts';
import { unknownName } from '../../cli/near-names.ts';
import { refuseSourceContradictions } from '../../cli/source-flags.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { allowedKind, parseTargets } from '../../cli/targets.ts';
import type { NamedTarget } from '../../cli/targets.ts';

export interface WaitFlags extends SourceValues, ConnectionValues {
  readonly for?: string | undefined;
  readonly timeout: string;
  readonly grace: string;
  readonly strict: boolean;
  readonly all: boolean;
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly selector?: string | undefined;
  readonly output: 'text' | 'name' | DocumentFormat;
  readonly color: string;
}

/** What is waited for, and for how long. */
export interface WaitPlan {
  readonly subject: WaitSubject;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly isStrict: boolean;
}

export type WaitSubject =
  | {
      readonly type: 'named';
      readonly targets: readonly (NamedTarget & { readonly kind: WaitableKind; readonly goal: Goal })[];
    }
  /** All objects of a kind, or those with some labels, that exist when the cluster is read. */
  | {
      readonly type: 'chosen';
      readonly kind: WaitableKind;
      readonly goal: Goal;
      readonly labelSelector: string | undefined;
    };

const grammar = {
  kinds: Object.keys(goalsByKind) as [WaitableKind, ...WaitableKind[]],
  ofType: (type: string) => `${type} --all, or ${type} -l app=web`,
};
/** What a negative timeout means to kubectl wait. */
const weekMs = 7 * 24 * 3_600_000;

export async function planWait(words: readonly string[], flags: WaitFlags): Promise<WaitPlan> {
  refuseSourceContradictions(flags);
  return {
    subject: await subjectOf(words, flags),
    timeoutMs: flags.timeout.startsWith('-') ? weekMs : parseDuration('--timeout', flags.timeout, 0),
    graceMs: parseDuration('--grace', flags.grace, 0),
    isStrict: flags.strict,
  };
}

async function subjectOf(words: readonly string[], flags: WaitFlags): Promise<WaitSubject> {
  const wished = flags.for === undefined ? undefined : await parseGoal(flags.for);
  if (words.length === 0)
    throw new UserError(
      'the objects to wait for are missing',
      'Write for example pvc/data, pvc --all, or pvc -l app=web',
    );
  const isChosen = flags.all || flags.selector !== undefined;
  return isChosen ? chosenSubject(words, flags, wished) : namedSubject(words, flags, wished);
}

async function namedSubject(
  words: readonly string[],
  flags: WaitFlags,
  wished: Goal | undefined,
): Promise<WaitSubject> {
  if (flags['all-namespaces'])
    throw new UserError('a name cannot be combined with -A', 'Remove -A, or choose the namespace with -n');
  const targets = await parseTargets(words, grammar);
  return {
    type: 'named',
    targets: targets.map((target) => ({
      ...target,
      kind: target.kind as WaitableKind,
      goal: goalOf(target.kind as WaitableKind, wished),
    })),
  };
}

async function chosenSubject(
  words: readonly string[],
  flags: WaitFlags,
  wished: Goal | undefined,
): Promise<WaitSubject> {
  const flag = flags.all ? '--all' : '-l';
  if (flags.all && flags.selector !== undefined)
    throw new UserError('--all cannot be combined with -l', 'Remove one of them');
  if (words.length > 1 || words[0]?.includes('/'))
    throw new UserError(
      `${flag} needs one type and no name`,
      `Write for example pvc ${flag}${flags.all ? '' : ' app=web'}`,
    );
  const kind = (await allowedKind(words[0] as string, grammar)) as WaitableKind;
  if (flags['all-namespaces'] && flags.namespace)
    throw new UserError('-A cannot be combined with -n', 'Remove one of them');
  // Parsed here so that a mistake shows before the cluster is read.
  if (flags.selector !== undefined) parseLabelSelector(flags.selector);
  return { type: 'chosen', kind, goal: goalOf(kind, wished), labelSelector: flags.selector };
}

/** Our own goals, and those of kubectl wait that mean the same. */
async function parseGoal(text: string): Promise<Goal> {
  const word = text.toLowerCase();
  if ((goals as readonly string[]).includes(word)) return word as Goal;
  if (word === 'delete') return 'deleted';
  if (/^condition=ready(=true)?$/.test(word)) return 'ready';
  if (/^jsonpath=['"]?\{?\.?status\.phase\}?['"]?=['"]?bound['"]?$/.test(word)) return 'bound';
  if (/^jsonpath=['"]?\{?\.?status\.readytouse\}?['"]?=['"]?true['"]?$/.test(word)) return 'ready';
  throw await unknownName('goal', text, goals, `--for takes ${goals.join(', ')}`);
}

function goalOf(kind: WaitableKind, wished: Goal | undefined): Goal {
  const own: readonly [Goal, ...Goal[]] = goalsByKind[kind];
  if (wished === undefined) return own[0];
  if (own.includes(wished)) return wished;
  const fitting = own.length === 1 ? own[0] : `${own.slice(0, -1).join(', ')} or ${own.at(-1) ?? ''}`;
  throw new UserError(
    `a ${shortNameOf(kind)} cannot become ${wished}`,
    `For a ${shortNameOf(kind)}, --for takes ${fitting}`,
  );
}
