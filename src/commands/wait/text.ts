import type { ObjectRef } from '../../core/report/report.ts';
import type { WaitReport, WaitState } from '../../core/report/wait.ts';
import { ageText, parseTime } from '../../core/kube/time.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { qualifiedKind } from '../../terminal/structured.ts';

export interface WaitWords {
  /** Targets are in several namespaces. */
  readonly withNamespace: boolean;
  readonly graceMs: number;
}

/** `persistentvolumeclaim/data bound`, in the form of kubectl wait's `condition met`. */
export function renderReached({ wish: { target, goal } }: Pick<WaitState, 'wish'>, withGoal = true): string {
  return `${sanitise(`${qualifiedKind(target.kind)}/${target.name}`)}${withGoal ? ` ${goal}` : ''}\n`;
}

/** `pvc/data: provision: no volume yet from ebs.csi.aws.com (12s)`. */
export function renderProgress(state: WaitState, nowMs: number, words: WaitWords): string {
  const name = nameOf(state.wish.target, words);
  const age = ageOf(state, nowMs);
  switch (state.prospect) {
    case 'absent':
      return sanitise(`${name} ${state.summary} yet; waiting for it to appear`);
    case 'someone':
      return sanitise(`${name} needs an action before it is ${state.wish.goal}: ${state.summary}`);
    case 'blocked':
      return sanitise(`${name}: ${staged(state)}${age}; this can pass, waiting up to ${ageText(0, words.graceMs)}`);
    default:
      return sanitise(`${name}: ${staged(state)}${age}`);
  }
}

/** The same for a line that must fit the terminal: the id of the cause instead of its summary. */
export function renderBriefly(state: WaitState, nowMs: number, words: WaitWords): string {
  const what = state.cause === undefined || state.cause === 'in-progress' ? state.summary : state.cause;
  return sanitise(
    `${nameOf(state.wish.target, words)}: ${state.stage === undefined ? '' : `${state.stage}: `}${what}${ageOf(state, nowMs)}`,
  );
}

function ageOf({ since }: WaitState, nowMs: number): string {
  const moment = parseTime(since);
  return moment === undefined || nowMs < moment ? '' : ` (${ageText(moment, nowMs)})`;
}

/** What must differ for the state to be reported again; a greater age does not count. */
export function essenceOf({ prospect, stage, cause, summary }: WaitState): string {
  return [prospect, stage ?? '', cause === undefined || cause === 'in-progress' ? summary : cause].join('|');
}

function staged({ stage, cause, prospect, summary }: WaitState): string {
  const isNamed = cause !== undefined && (prospect === 'blocked' || prospect === 'lasting');
  return `${stage === undefined ? '' : `${stage}: `}${summary}${isNamed ? ` [${cause}]` : ''}`;
}

function nameOf(target: ObjectRef, { withNamespace }: Pick<WaitWords, 'withNamespace'>): string {
  return `${objectName(target)}${withNamespace && target.namespace !== undefined ? ` in ${target.namespace}` : ''}`;
}

const mostNamed = 3;

/** One sentence on how the wait ended: the last line of a log. */
export function renderEnding(
  { result, items, waitedSeconds }: WaitReport,
  words: Pick<WaitWords, 'withNamespace'> & { readonly isOnce?: boolean; readonly silence?: string | undefined },
): string {
  const decisive = items.filter(({ state }) =>
    result === 'unreachable' ? state === 'unreachable' : state !== 'reached',
  );
  const names = `${decisive
    .slice(0, mostNamed)
    .map(({ target }) => nameOf(target, words))
    .join(', ')}${decisive.length > mostNamed ? ` and ${decisive.length - mostNamed} more` : ''}`;
  const [first] = decisive;
  const late = words.isOnce ? '' : `timed out after ${ageText(0, waitedSeconds * 1000)}: `;
  if (first === undefined) return `${late}no such object exists yet`;
  const isAre = decisive.length === 1 ? 'is' : 'are';
  const goals = [...new Set(decisive.map(({ goal }) => goal))].join(' or ');
  const why = decisive.length === 1 ? `: ${first.summary}` : '';
  if (result === 'unreachable') return sanitise(`${names} cannot become ${goals} without a change${why}`);
  if (result === 'inconclusive')
    return sanitise(
      `cannot determine whether ${names} ${isAre} ${goals}${words.silence === undefined ? why : `: ${words.silence}`}`,
    );
  const isAbsent = decisive.every(({ state }) => state === 'absent');
  return sanitise(
    `${late}${names} ${isAre} not ${goals}${isAbsent ? `, because ${decisive.length === 1 ? 'it does' : 'they do'} not exist` : ''}`,
  );
}
