import type { Unread } from '../../core/report/report.ts';
import { resourceOf } from '../../core/kube/resources.ts';
import { rowKinds } from '../../core/report/rows.ts';
import type { Row, RowKind, RowList, RowQuestion } from '../../core/report/rows.ts';
import { parseTime } from '../../core/kube/time.ts';
import type { RowTable } from './text.ts';
import type { RowAnswer, RowsSurvey } from '../../core/survey/rows/survey-rows.ts';
import type { GetFormat } from './format.ts';
import { screenOf } from '../../terminal/output.ts';
import type { ColourChoice } from '../../terminal/output.ts';
import { renderDocument } from '../../cli/render.ts';

export interface GetLook {
  readonly format: GetFormat;
  readonly color: string;
  readonly sortBy: string | undefined;
  readonly withHeaders: boolean;
  readonly withLabels: boolean;
  readonly everywhere: boolean;
}

/** All answers in the format that was asked for. */
export async function renderAnswers(
  survey: RowsSurvey,
  questions: readonly RowQuestion[],
  look: GetLook,
): Promise<string> {
  const answers = await Promise.all(
    survey.answers.map(async (answer) => ({ ...answer, rows: await sorted(survey, answer, look) })),
  );
  const { format } = look;
  if (format.type === 'json' || format.type === 'yaml') {
    const lists = answers.map((answer) => listOf(survey, answer.kind, answer.rows));
    return renderDocument(
      lists.length === 1 ? (lists[0] as RowList) : { apiVersion: 'csi.kubectl.dev/v1', kind: 'List', items: lists },
      format.type,
    );
  }
  const tables = await Promise.all(
    answers.map((answer, index) =>
      renderTable(survey, questions[index] as RowQuestion, answer.rows, look, { withKind: answers.length > 1 }),
    ),
  );
  const separator = format.type === 'name' ? '' : '\n';
  return tables
    .filter(({ lines }) => lines.length > 0)
    .map(({ lines }) => `${lines.join('\n')}\n`)
    .join(separator);
}

/** A question that went unanswered matters only where a row has a gap: often another answer told as much. */
export function unreadJoins({ answers, unread }: RowsSurvey): readonly Unread[] {
  return answers.some(({ rows }) => rows.some(({ unknown }) => unknown !== undefined)) ? unread : [];
}

export function listOf(survey: RowsSurvey, kind: RowKind, items: readonly Row[]): RowList {
  const { takenAt, source, answers } = survey;
  const unread = [
    ...answers.filter((answer) => answer.kind === kind).flatMap(({ unreadKind }) => unreadKind),
    ...unreadJoins(survey),
  ];
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: rowKinds[kind].list,
    takenAt,
    source,
    items,
    ...(unread.length > 0 && { unread }),
  };
}

export interface TableTurn {
  readonly withKind?: boolean;
  /** Rows that go on with a table which was printed before. */
  readonly widths?: readonly number[];
  readonly gone?: ReadonlySet<Row>;
}

/** The lines of one kind, in a format that has lines. No rows have no header either. */
export async function renderTable(
  survey: RowsSurvey,
  question: RowQuestion,
  rows: readonly Row[],
  look: GetLook,
  turn: TableTurn = {},
): Promise<RowTable> {
  const { format } = look;
  const { renderCustomColumns, renderRowNames, renderRowTable } = await import('./text.ts');
  if (rows.length === 0) return { lines: [], widths: [] };
  if (format.type === 'name')
    return {
      lines: renderRowNames(
        question.kind,
        rows.filter((row) => survey.objectOf(question.kind, row) !== undefined),
      ),
      widths: [],
    };
  const withHeaders = look.withHeaders && turn.widths === undefined;
  const shared = { withHeaders, ...(turn.widths && { widths: turn.widths }) };
  if (format.type === 'custom-columns')
    return renderCustomColumns(question.kind, rows, format.columns, { ...shared, objectOf: survey.objectOf });
  const isWide = format.type === 'wide';
  return renderRowTable(question.kind, rows, {
    ...shared,
    ...screenOf(look.color as ColourChoice, process.env, process.stdout),
    view: { now: parseTime(survey.takenAt) ?? 0, isWide },
    withNamespace:
      resourceOf(question.kind).namespaced &&
      question.namespace === undefined &&
      (question.kind !== 'CSIStorageCapacity' || look.everywhere || isWide),
    withLabels: look.withLabels,
    withKind: turn.withKind === true,
    ...(turn.gone && { gone: turn.gone }),
  });
}

async function sorted(
  survey: RowsSurvey,
  { kind, rows }: RowAnswer,
  { sortBy, format }: GetLook,
): Promise<readonly Row[]> {
  if (sortBy === undefined || sortBy === '') return rows;
  const { sortRows } = await import('./sort.ts');
  return sortRows(
    kind,
    rows,
    sortBy,
    { now: parseTime(survey.takenAt) ?? 0, isWide: format.type === 'wide' },
    survey.objectOf,
  );
}
