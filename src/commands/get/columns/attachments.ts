import type { RowOf } from '../../../core/report/rows.ts';
import { age, name, podsText } from '../column.ts';
import type { Column } from '../column.ts';
import { attachedStyle } from './styles.ts';

export const attachmentColumns: readonly Column<RowOf['VolumeAttachment']>[] = [
  name,
  { title: 'PV', field: 'volume', text: ({ volume, isInline }) => volume ?? (isInline ? '<inline>' : '') },
  {
    title: 'CLAIM',
    field: 'claim',
    text: ({ claim }) => (claim ? `${claim.namespace ?? ''}/${claim.name}` : ''),
    sortValue: ({ claim }) => claim && `${claim.namespace ?? ''}/${claim.name}`,
  },
  { title: 'NODE', field: 'node', text: ({ node }) => node },
  { title: 'DRIVER', field: 'driver', text: ({ driver }) => driver },
  {
    title: 'ATTACHED',
    field: 'isAttached',
    text: ({ isAttached, state }) => (state === 'detaching' ? state : String(isAttached)),
    style: (attachment) => attachedStyle({ attachments: [attachment] }),
    sortValue: ({ state }) => state,
  },
  { title: 'PODS', field: 'pods', text: ({ pods }, view) => podsText(pods, view) },
  age,
  {
    title: 'ERROR',
    field: 'error',
    text: ({ error = '' }) => error,
    style: ({ error }) => (error === undefined ? undefined : 'blocked'),
  },
];
