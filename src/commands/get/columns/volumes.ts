import type { RowOf } from '../../../core/report/rows.ts';
import { age, attachedText, driverText, modesText, name } from '../column.ts';
import type { Column } from '../column.ts';
import { attachedStyle, statusStyle } from './styles.ts';

export const volumeColumns: readonly Column<RowOf['PersistentVolume']>[] = [
  name,
  { title: 'CAPACITY', field: 'capacity', text: ({ capacity = '' }) => capacity },
  { title: 'MODES', field: 'accessModes', text: ({ accessModes }) => modesText(accessModes) },
  { title: 'RECLAIM', field: 'reclaimPolicy', text: ({ reclaimPolicy = '' }) => reclaimPolicy },
  { title: 'STATUS', field: 'status', text: ({ status }) => status, style: statusStyle },
  {
    title: 'CLAIM',
    field: 'claim',
    text: ({ claim }) => (claim ? `${claim.namespace ?? ''}/${claim.name}` : ''),
    sortValue: ({ claim }) => claim && `${claim.namespace ?? ''}/${claim.name}`,
  },
  { title: 'CLASS', field: 'storageClass', text: ({ storageClass = '' }) => storageClass },
  { title: 'DRIVER', field: 'driver', text: driverText },
  { title: 'ATTACHED', field: 'attachments', text: attachedText, style: attachedStyle },
  {
    title: 'REASON',
    field: 'reason',
    text: ({ reason = '' }) => reason,
    style: ({ reason }) => (reason === undefined ? undefined : 'blocked'),
  },
  age,
  { title: 'VOLUMEMODE', field: 'volumeMode', isWide: true, text: ({ volumeMode }) => volumeMode },
  { title: 'ATTRIBUTES', field: 'attributesClass', isWide: true, text: ({ attributesClass = '' }) => attributesClass },
  { title: 'HANDLE', field: 'volumeHandle', isWide: true, text: ({ volumeHandle = '' }) => volumeHandle },
  { title: 'REACHED-FROM', field: 'reach', isWide: true, text: ({ reach }) => reach },
  { title: 'MESSAGE', field: 'message', isWide: true, text: ({ message = '' }) => message },
];
