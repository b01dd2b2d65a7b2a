import type { SnapshotRow } from '../../../core/report/rows.ts';
import type { Style } from '../../../terminal/theme.ts';
import { age, name } from '../column.ts';
import type { Column } from '../column.ts';

function sourceText({ sourceClaim, sourceContent }: SnapshotRow): string {
  if (sourceClaim !== undefined) return `pvc/${sourceClaim}`;
  return sourceContent === undefined ? '' : `volumesnapshotcontent/${sourceContent}`;
}

function readyStyle({ isReady, error }: SnapshotRow): Style | undefined {
  if (isReady === true) return undefined;
  return error === undefined ? 'waiting' : 'blocked';
}

export const snapshotColumns: readonly Column<SnapshotRow>[] = [
  name,
  {
    title: 'READY',
    field: 'isReady',
    text: ({ isReady, deletedAt }) => (deletedAt === undefined ? String(isReady ?? false) : 'Terminating'),
    style: readyStyle,
  },
  { title: 'SOURCE', field: 'sourceClaim', text: sourceText, sortValue: sourceText },
  { title: 'CONTENT', field: 'content', text: ({ content = '' }) => content },
  { title: 'CLASS', field: 'snapshotClass', text: ({ snapshotClass = '' }) => snapshotClass },
  { title: 'SIZE', field: 'restoreSize', text: ({ restoreSize = '' }) => restoreSize },
  age,
  { title: 'DRIVER', field: 'driver', isWide: true, text: ({ driver = '' }) => driver },
  { title: 'DELETION', field: 'deletionPolicy', isWide: true, text: ({ deletionPolicy = '' }) => deletionPolicy },
  { title: 'TAKEN', field: 'takenAt', isWide: true, text: ({ takenAt = '' }) => takenAt },
  { title: 'HANDLE', field: 'snapshotHandle', isWide: true, text: ({ snapshotHandle = '' }) => snapshotHandle },
  {
    title: 'ERROR',
    field: 'error',
    text: ({ error = '' }) => error,
    style: ({ error }) => (error === undefined ? undefined : 'blocked'),
  },
];
