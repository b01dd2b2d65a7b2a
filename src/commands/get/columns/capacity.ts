import type { RowOf } from '../../../core/report/rows.ts';
import { age, name } from '../column.ts';
import type { Column } from '../column.ts';

export const capacityColumns: readonly Column<RowOf['CSIStorageCapacity']>[] = [
  { title: 'CLASS', field: 'storageClass', text: ({ storageClass }) => storageClass },
  { title: 'DRIVER', field: 'driver', text: ({ driver = '' }) => driver },
  { title: 'SEGMENT', field: 'segment', text: ({ segment }) => segment },
  { title: 'CAPACITY', field: 'capacity', text: ({ capacity = '' }) => capacity },
  { title: 'MAX-VOLUME', field: 'maximumVolumeSize', text: ({ maximumVolumeSize = '' }) => maximumVolumeSize },
  age,
  { title: 'NODES', field: 'nodes', isWide: true, text: ({ nodes }) => (nodes === undefined ? '' : String(nodes)) },
  { ...name, isWide: true },
];
