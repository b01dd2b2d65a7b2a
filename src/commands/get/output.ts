import { resourceOf } from '../../core/kube/resources.ts';
import { parseTime } from '../../core/kube/time.ts';
import type { Row, RowQuestion } from '../../core/report/rows.ts';
import { listOf } from '../../core/survey/rows/row-list.ts';
import type { RowAnswer, RowsSurvey } from '../../core/survey/rows/survey-rows.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import { renderDocument } from '../../terminal/structured.ts';
import type { CellView } from './column.ts';
import type { GetFormat } from './format.ts';
import { sortRows } from './sort.ts';
import { renderCustomColumns, renderRowNames, renderRowTable } from './text.ts';
import type { RowTable } from './text.ts';

/** How the rows are printed. */
export interface GetLook {
  readonly format: GetFormat;
  readonly screen: { readonly colour: boolean; readonly ascii: boolean };
  readonly sortBy: string | undefined;
  readonly withHeaders: boolean;
  readonly withLabels: boolean;
  readonly everywhere: boolean;
}

/** All answers in the requested format. */
export async function renderAnswers(
  survey: RowsSurvey,
  questions: readonly RowQuestion[],
  look: GetLook,
): Promise<string> {
  const answers = survey.answers.map((answer) => ({ ...answer, rows: sorted(survey, answer, look) }));
  const { type } = look.format;
  if (isDocumentFormat(type)) {
    const lists = answers.map(({ kind, rows }) => listOf(survey, kind, rows));
    const [only] = lists;
    const isSingle = lists.length === 1 && only !== undefined;
    return renderDocument(isSingle ? only : { apiVersion: 'csi.kubectl.dev/v1', kind: 'List', items: lists }, type);
  }
  return answers
    .map(({ rows }, index) =>
      renderTable(survey, questions[index] as RowQuestion, rows, look, { withKind: answers.length > 1 }),
    )
    .filter(({ lines }) => lines.length > 0)
    .map(({ lines }) => `${lines.join('\n')}\n`)
    .join(type === 'name' ? '' : '\n');
}

interface TableTurn {
  readonly withKind?: boolean;
  /** The widths of a table that was printed before and that these rows continue. */
  readonly widths?: readonly number[];
  readonly gone?: ReadonlySet<Row>;
}

/** The lines of one kind, in a format that has lines. Without rows there is no header either. */
export function renderTable(
  survey: RowsSurvey,
  question: RowQuestion,
  rows: readonly Row[],
  look: GetLook,
  turn: TableTurn = {},
): RowTable {
  const { format } = look;
  const { kind } = question;
  if (rows.length === 0) return { lines: [], widths: [] };
  if (format.type === 'name') {
    const existing = rows.filter((row) => survey.objectOf(kind, row) !== undefined);
    return { lines: renderRowNames(kind, existing), widths: [] };
  }
  const withHeaders = look.withHeaders && turn.widths === undefined;
  const shared = { withHeaders, ...(turn.widths && { widths: turn.widths }) };
  if (format.type === 'custom-columns')
    return renderCustomColumns(kind, rows, format.columns, { ...shared, objectOf: survey.objectOf });
  return renderRowTable(kind, rows, {
    ...shared,
    ...look.screen,
    view: viewOf(survey, format),
    withNamespace: hasNamespaceColumn(question, look),
    withLabels: look.withLabels,
    withKind: turn.withKind === true,
    ...(turn.gone && { gone: turn.gone }),
  });
}

/** Where a driver publishes its free space is of little interest, so that namespace is shown on request only. */
function hasNamespaceColumn({ kind, namespace }: RowQuestion, { everywhere, format }: GetLook): boolean {
  if (!resourceOf(kind).namespaced || namespace !== undefined) return false;
  return kind !== 'CSIStorageCapacity' || everywhere || format.type === 'wide';
}

function viewOf({ takenAt, source }: RowsSurvey, { type }: GetFormat): CellView {
  const clocks = source.contexts?.flatMap(({ name, takenAt: own }): [string, number][] => [
    [name, parseTime(own) ?? parseTime(takenAt) ?? 0],
  ]);
  return { now: parseTime(takenAt) ?? 0, isWide: type === 'wide', ...(clocks && { clocks: new Map(clocks) }) };
}

export function sorted(
  survey: RowsSurvey,
  { kind, rows }: RowAnswer,
  { sortBy, format }: Pick<GetLook, 'sortBy' | 'format'>,
): readonly Row[] {
  if (sortBy === undefined || sortBy === '') return rows;
  return sortRows(kind, rows, sortBy, viewOf(survey, format), survey.objectOf);
}
