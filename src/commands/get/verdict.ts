import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { noNamespaceError } from '../../cli/question.ts';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import { resourceOf, shortNameOf } from '../../core/kube/resources.ts';
import type { Unread } from '../../core/report/report.ts';
import { rowKinds } from '../../core/report/rows.ts';
import type { RowQuestion } from '../../core/report/rows.ts';
import { unreadJoins } from '../../core/survey/rows/row-list.ts';
import type { RowAnswer, RowsSurvey } from '../../core/survey/rows/survey-rows.ts';

interface Judgement {
  /** Thrown after the rows that there are were printed. */
  readonly error?: UserError | EnvironmentError;
  readonly exitCode: ExitCode;
  readonly warnings: readonly string[];
}

interface Pair {
  readonly answer: RowAnswer;
  readonly question: RowQuestion;
}

/** What to print in addition to the rows, and how the command ends. */
export function judgeRows(survey: RowsSurvey, questions: readonly RowQuestion[]): Judgement {
  const pairs = survey.answers.map((answer, index) => ({ answer, question: questions[index] as RowQuestion }));
  const error = noPlaceError(pairs) ?? missingError(pairs) ?? deniedError(pairs);
  // A dump may lack objects that only complete the rows; what was refused may hide anything.
  const isOpen =
    survey.answers.some(({ unreadKind, place }) => unreadKind.length > 0 || place?.state === 'unverified') ||
    unreadJoins(survey).some(isRefused);
  return {
    ...(error && { error }),
    exitCode: isOpen ? exitCodes.inconclusive : exitCodes.ok,
    warnings: pairs.flatMap(({ answer, question }) => emptyWords(answer, question, survey)),
  };
}

export const isRefused = ({ reason }: Unread): boolean => reason === 'forbidden' || reason === 'failed';

/** An empty list of a namespace that does not exist proves nothing about the one that was intended. */
function noPlaceError(pairs: readonly Pair[]): UserError | undefined {
  const [wrong] = pairs.flatMap(({ answer: { place }, question: { namespace } }) =>
    place?.state === 'missing' ? [{ namespace, near: place.near }] : [],
  );
  return wrong && noNamespaceError(wrong.namespace, wrong.near);
}

function missingError(pairs: readonly Pair[]): UserError | undefined {
  const names = pairs.flatMap(({ answer, question: { namespace } }) =>
    answer.missing.map(({ name, near }) => ({ text: `${shortNameOf(answer.kind)}/${name}`, namespace, near })),
  );
  if (names.length === 0) return undefined;
  const namespace = names.find((one) => one.namespace !== undefined)?.namespace;
  const near = [...new Set(names.flatMap((one) => one.near))];
  const doubt = namespace === undefined ? 'Omit the name to list them all' : 'Check the namespace (-n)';
  return new UserError(
    `${names.map(({ text }) => text).join(', ')} ${names.length === 1 ? 'does' : 'do'} not ` +
      `exist${namespace === undefined ? '' : ` in namespace ${namespace}`}`,
    near.length > 0 ? `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?` : doubt,
  );
}

function deniedError(pairs: readonly Pair[]): EnvironmentError | undefined {
  const denied = pairs.find(({ answer: { rows, unreadKind } }) => rows.length === 0 && unreadKind.some(isRefused));
  if (denied === undefined) return undefined;
  const [unread] = denied.answer.unreadKind;
  const { namespace } = denied.question;
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const why = unread?.message === undefined ? '' : `: ${unread.message}`;
  if (unread?.reason === 'forbidden')
    return new EnvironmentError(
      `you may not ${unread.verb} ${unread.resource}${where}${why}`,
      'Run kubectl csi rbac get to print the role that this needs',
    );
  return new EnvironmentError(`${unread?.resource ?? 'the objects'}${where} could not be read${why}`);
}

/** Silence would leave open whether nothing exists or nothing could be read. */
function emptyWords(
  { kind, rows, missing, isAbsent, unreadKind, place: presence, unselected }: RowAnswer,
  question: RowQuestion,
  { source }: RowsSurvey,
): string[] {
  const { noun } = rowKinds[kind];
  if (isAbsent) return [`this cluster has no ${resourceOf(kind).name}: the CRD is not installed`];
  if (rows.length > 0 || missing.length > 0 || unreadKind.length > 0) return [];
  const place = { cluster: 'the cluster', capture: 'the capture', files: 'the dump' }[source.type];
  if (presence?.state === 'missing') return [];
  const where = `in ${question.namespace === undefined ? place : `namespace ${question.namespace}`}`;
  const isChosen = question.labelSelector !== undefined || question.fieldSelector !== undefined;
  if (isChosen && unselected !== undefined && unselected > 0)
    return [`the selector matches none of ${unselected} ${noun} ${where}`];
  const doubt = presence?.state === 'unverified' ? ' (whether the namespace exists could not be read)' : '';
  return [`no ${noun}${isChosen ? ' that match the selector' : ''} ${where}${doubt}`];
}
