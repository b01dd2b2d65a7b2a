import type { PodRow } from '../../../core/report/rows.ts';
import { age, name } from '../column.ts';
import type { Column } from '../column.ts';
import { cause, judgedStyle } from './cause.ts';

export const podColumns: readonly Column<PodRow>[] = [
  name,
  { title: 'STATUS', field: 'status', text: ({ status }) => status, style: judgedStyle },
  cause,
  { title: 'CLAIMS', field: 'claims', text: ({ claims }) => claims.join(',') },
  { title: 'NODE', field: 'node', text: ({ node = '' }) => node },
  age,
  { title: 'READY', field: 'isReady', isWide: true, text: ({ isReady }) => String(isReady) },
  {
    title: 'INLINE-DRIVERS',
    field: 'inlineDrivers',
    isWide: true,
    text: ({ inlineDrivers }) => inlineDrivers.join(','),
  },
];
