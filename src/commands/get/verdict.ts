import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import type { Unread } from '../../core/report/report.ts';
import { resourceOf, shortNameOf } from '../../core/kube/resources.ts';
import { rowKinds } from '../../core/report/rows.ts';
import type { RowQuestion } from '../../core/report/rows.ts';
import type { RowAnswer, RowsSurvey } from '../../core/survey/rows/survey-rows.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { unreadJoins } from './output.ts';
import type { GetLook } from './output.ts';
import { complain, screenOf } from '../../terminal/output.ts';
import type { ColourChoice } from '../../terminal/output.ts';

export interface Judgement {
  /** What ends the command, after all that there is was printed. */
  readonly error?: UserError | EnvironmentError;
  readonly exitCode: ExitCode;
  readonly warnings: readonly string[];
}

/** What is to be said beside the rows, and how the command ends. */
export function judgeRows(survey: RowsSurvey, questions: readonly RowQuestion[]): Judgement {
  const pairs = survey.answers.map((answer, index) => ({ answer, question: questions[index] as RowQuestion }));
  const denied = pairs.find(({ answer: { rows, unreadKind } }) => rows.length === 0 && unreadKind.some(isRefused));
  const missing = pairs.filter(({ answer }) => answer.missing.length > 0);
  const error =
    missing.length > 0 ? missingError(missing) : denied && deniedError(denied.answer.unreadKind, denied.question);
  // A dump may leave out what stands beside the rows; what was refused may hide anything.
  const isOpen = survey.answers.some(({ unreadKind }) => unreadKind.length > 0) || unreadJoins(survey).some(isRefused);
  return {
    ...(error && { error }),
    exitCode: isOpen ? exitCodes.inconclusive : exitCodes.ok,
    warnings: pairs.flatMap(({ answer, question }) => emptyWords(answer, question, survey)),
  };
}

const isRefused = ({ reason }: Unread): boolean => reason === 'forbidden' || reason === 'failed';

function missingError(pairs: readonly { readonly answer: RowAnswer; readonly question: RowQuestion }[]): UserError {
  const names = pairs.flatMap(({ answer, question }) =>
    answer.missing.map(({ name, near }) => ({
      text: `${shortNameOf(answer.kind)}/${name}`,
      namespace: question.namespace,
      near,
    })),
  );
  const where = names.find(({ namespace }) => namespace !== undefined)?.namespace;
  const near = [...new Set(names.flatMap((one) => one.near))];
  const next =
    near.length > 0
      ? `did you mean ${near.join(' or ')}?`
      : where === undefined
        ? 'list them all without a name'
        : 'is the namespace right (-n)?';
  return new UserError(
    `there is no ${names.map(({ text }) => text).join(', no ')}${where === undefined ? '' : ` in namespace ${where}`}`,
    next,
  );
}

function deniedError([unread]: readonly Unread[], { namespace }: RowQuestion): EnvironmentError {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const why = unread?.message === undefined ? '' : `: ${unread.message}`;
  const what =
    unread?.reason === 'forbidden'
      ? `this user may not ${unread.verb} ${unread.resource}${where}`
      : `${unread?.resource ?? 'the objects'}${where} could not be read`;
  return new EnvironmentError(
    `${what}${why}`,
    unread?.reason === 'forbidden' ? 'kubectl csi rbac get prints the rights that this needs' : undefined,
  );
}

/** Silence would leave open whether there is nothing or nobody looked. */
function emptyWords(
  { kind, rows, missing, isAbsent, unreadKind }: RowAnswer,
  question: RowQuestion,
  { source }: RowsSurvey,
): string[] {
  const { noun } = rowKinds[kind];
  if (isAbsent) return [`this cluster does not have ${resourceOf(kind).name}: the kind is not installed`];
  if (rows.length > 0 || missing.length > 0 || unreadKind.length > 0) return [];
  const place = { cluster: 'the cluster', capture: 'the capture', files: 'the dump' }[source.type];
  const chosen =
    question.labelSelector === undefined && question.fieldSelector === undefined ? '' : ' that the selector fits';
  return [`no ${noun}${chosen} in ${question.namespace === undefined ? place : `namespace ${question.namespace}`}`];
}

/** What could not be read, in words, and that there is nothing where nothing was printed. */
export async function warn(
  survey: RowsSurvey,
  warnings: readonly string[],
  { color, format }: Pick<GetLook, 'color' | 'format'>,
): Promise<void> {
  const unread = survey.answers.flatMap(({ unreadKind, rows }) =>
    rows.length > 0 || !unreadKind.some(isRefused) ? unreadKind : [],
  );
  const joins = unreadJoins(survey);
  if (unread.length + joins.length > 0) {
    const [{ renderUnread, renderUnreadBriefly }, { createScreen }, { sanitiseReport }] = await Promise.all([
      import('../../terminal/verdict/unread.ts'),
      import('../../terminal/screen.ts'),
      import('../../terminal/sanitise.ts'),
    ]);
    const screen = createScreen(survey.takenAt, {
      ...screenOf(color as ColourChoice, process.env, process.stderr),
      wide: format.type === 'wide',
    });
    // That the kind itself is missing is the whole answer; what only stands beside the rows takes a line.
    await complain(
      [
        ...renderUnread(sanitiseReport(unread.filter((entry) => !isRefused(entry))), screen),
        ...renderUnreadBriefly(sanitiseReport([...unread.filter(isRefused), ...joins]), screen),
      ].join('\n'),
    );
  }
  for (const words of warnings) await complain(words);
}
