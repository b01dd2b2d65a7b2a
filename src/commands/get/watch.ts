import type { Kind } from '../../core/kube/kinds.ts';
import type { Row, RowKind, RowQuestion } from '../../core/report/rows.ts';
import type { RowsSurvey } from '../../core/survey/rows/survey-rows.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { listOf, renderAnswers, renderTable } from './output.ts';
import type { GetLook } from './output.ts';
import { judgeRows, warn } from './verdict.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import { renderDocument } from '../../cli/render.ts';
import { printOnChange } from '../../cli/watch-loop.ts';

/** What changes the rows of a kind soon; what else stands in them is looked at again now and then. */
const watchedKinds: Readonly<Record<RowKind, readonly Kind[]>> = {
  PersistentVolumeClaim: ['PersistentVolumeClaim', 'Pod', 'VolumeAttachment'],
  PersistentVolume: ['PersistentVolume', 'VolumeAttachment'],
  StorageClass: ['StorageClass'],
  CSINode: ['CSINode', 'VolumeAttachment'],
  VolumeAttachment: ['VolumeAttachment'],
  CSIDriver: ['CSIDriver', 'CSINode'],
  VolumeSnapshot: ['VolumeSnapshot', 'VolumeSnapshotContent'],
  CSIStorageCapacity: ['CSIStorageCapacity'],
};

/** First the table, then each row that has changed, as kubectl does it: nothing that was printed is ever drawn over. */
export async function watchRows(
  source: ClusterSource,
  questions: readonly RowQuestion[],
  look: GetLook,
  read: () => Promise<RowsSurvey>,
): Promise<ExitCode> {
  const question = questions[0] as RowQuestion;
  let shown = new Map<string, Row>();
  let widths: readonly number[] | undefined;
  return printOnChange(
    source,
    { kinds: watchedKinds[question.kind], namespace: question.namespace },
    async (isFirst) => {
      const survey = await read();
      const rows = survey.answers[0]?.rows ?? [];
      const { error, exitCode, warnings } = judgeRows(survey, questions);
      if (isFirst && error !== undefined) throw error;
      if (isFirst) await warn(survey, warnings, look);
      return {
        essence: JSON.stringify(rows),
        exitCode,
        render: async () => {
          const changed = changesOf(shown, rows);
          shown = new Map(rows.map((row) => [keyOf(row), row]));
          if (look.format.type === 'json')
            return renderDocument(listOf(survey, question.kind, changed.rows.map(markGone(changed.gone))), 'json');
          if (look.format.type === 'yaml')
            return `---\n${await renderDocument(listOf(survey, question.kind, changed.rows.map(markGone(changed.gone))), 'yaml')}`;
          const isBegun = widths !== undefined;
          const table = await renderTable(survey, question, changed.rows, look, {
            ...(widths && { widths }),
            gone: changed.gone,
          });
          if (table.lines.length > 0) widths = table.widths;
          return isFirst && !isBegun
            ? renderAnswers(survey, questions, look)
            : table.lines.map((line) => `${line}\n`).join('');
        },
      };
    },
  );
}

interface Changes {
  readonly rows: readonly Row[];
  readonly gone: ReadonlySet<Row>;
}

function changesOf(before: ReadonlyMap<string, Row>, rows: readonly Row[]): Changes {
  const keys = new Set(rows.map(keyOf));
  const gone = [...before].filter(([key]) => !keys.has(key)).map(([, row]) => row);
  const changed = rows.filter((row) => JSON.stringify(before.get(keyOf(row))) !== JSON.stringify(row));
  return { rows: [...changed, ...gone], gone: new Set(gone) };
}

const keyOf = (row: Row): string => `${row.namespace ?? ''}/${row.name}`;

const markGone =
  (gone: ReadonlySet<Row>) =>
  (row: Row): Row =>
    gone.has(row) ? { ...row, isGone: true } : row;
