import type { ExitCode } from '../../../cli/exit-codes.ts';
import type { ClusterSource } from '../../../cli/open-source.ts';
import { printOnChange, watchOf } from '../../../cli/watch-loop.ts';
import type { Kind } from '../../../core/kube/kinds.ts';
import type { Row, RowKind, RowQuestion } from '../../../core/report/rows.ts';
import type { RowsSurvey } from '../../../core/survey/rows/survey-rows.ts';
import { isDocumentFormat } from '../../../terminal/document-format.ts';
import { renderDocument } from '../../../terminal/structured.ts';
import { listOf } from '../../../core/survey/rows/row-list.ts';
import { renderAnswers, renderTable } from '../output.ts';
import type { GetLook } from '../output.ts';
import { judgeRows } from '../verdict.ts';

/** The kinds whose changes show in the rows of a kind; all others are read again now and then. */
const watchedKinds: Readonly<Record<RowKind, readonly Kind[]>> = {
  PersistentVolumeClaim: ['PersistentVolumeClaim', 'Pod', 'VolumeAttachment'],
  Pod: ['Pod', 'PersistentVolumeClaim'],
  PersistentVolume: ['PersistentVolume', 'VolumeAttachment'],
  StorageClass: ['StorageClass'],
  CSINode: ['CSINode', 'VolumeAttachment'],
  VolumeAttachment: ['VolumeAttachment'],
  CSIDriver: ['CSIDriver', 'CSINode'],
  VolumeSnapshot: ['VolumeSnapshot', 'VolumeSnapshotContent'],
  CSIStorageCapacity: ['CSIStorageCapacity'],
  BucketClaim: ['BucketClaim', 'Bucket', 'BucketAccess'],
  Bucket: ['Bucket', 'BucketAccess'],
};

interface RowWatch {
  readonly read: () => Promise<RowsSurvey>;
  readonly onFirst: (survey: RowsSurvey, warnings: readonly string[]) => Promise<void>;
}

/** Prints the table once, and then each row that changes, as kubectl does. */
export function watchRows(
  source: ClusterSource,
  question: RowQuestion,
  look: GetLook,
  { read, onFirst }: RowWatch,
): Promise<ExitCode> {
  const printed = new PrintedRows(question, look);
  return printOnChange(
    async (isFirst) => {
      const survey = await read();
      const { error, exitCode, warnings } = judgeRows(survey, [question]);
      if (isFirst && error !== undefined) throw error;
      if (isFirst) await onFirst(survey, warnings);
      return {
        essence: JSON.stringify(survey.answers[0]?.rows ?? []),
        exitCode,
        render: () => printed.renderChanges(survey, isFirst),
      };
    },
    { watch: watchOf(source, { kinds: watchedKinds[question.kind], namespace: question.namespace }) },
  );
}

/** The rows as they were printed last. */
class PrintedRows {
  readonly #question: RowQuestion;
  readonly #look: GetLook;
  #rows: ReadonlyMap<string, Row> = new Map();
  #widths: readonly number[] | undefined;

  constructor(question: RowQuestion, look: GetLook) {
    this.#question = question;
    this.#look = look;
  }

  async renderChanges(survey: RowsSurvey, isFirst: boolean): Promise<string> {
    const rows = survey.answers[0]?.rows ?? [];
    const changed = changesOf(this.#rows, rows);
    this.#rows = new Map(rows.map((row) => [keyOf(row), row]));
    const { type } = this.#look.format;
    if (isDocumentFormat(type)) {
      const list = listOf(survey, this.#question.kind, changed.rows.map(markGone(changed.gone)));
      return `${type === 'yaml' ? '---\n' : ''}${await renderDocument(list, type)}`;
    }
    const isBegun = this.#widths !== undefined;
    const table = renderTable(survey, this.#question, changed.rows, this.#look, {
      ...(this.#widths && { widths: this.#widths }),
      gone: changed.gone,
    });
    if (table.lines.length > 0) this.#widths = table.widths;
    if (isFirst && !isBegun) return renderAnswers(survey, [this.#question], this.#look);
    return table.lines.map((line) => `${line}\n`).join('');
  }
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
