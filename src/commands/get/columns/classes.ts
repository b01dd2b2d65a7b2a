import type { RowOf } from '../../../core/report/rows.ts';
import { age, name } from '../column.ts';
import type { Column } from '../column.ts';
import { registrationsText } from './styles.ts';

export const classColumns: readonly Column<RowOf['StorageClass']>[] = [
  { ...name, text: (row) => (row.isDefault ? `${row.name} (default)` : row.name) },
  {
    title: 'DRIVER',
    field: 'driver',
    text: ({ driver, provisioner }) => driver ?? provisioner,
    sortValue: ({ driver, provisioner }) => driver ?? provisioner,
  },
  {
    title: 'NODES',
    field: 'registeredNodes',
    text: (row) => (row.isInstalled === false ? '<not-installed>' : registrationsText(row)),
    style: ({ isInstalled, registeredNodes }) =>
      isInstalled === false || registeredNodes === 0 ? 'blocked' : undefined,
  },
  { title: 'RECLAIM', field: 'reclaimPolicy', text: ({ reclaimPolicy }) => reclaimPolicy },
  { title: 'BINDING', field: 'bindingMode', text: ({ bindingMode }) => bindingMode },
  { title: 'EXPANSION', field: 'allowsExpansion', text: ({ allowsExpansion }) => String(allowsExpansion) },
  { title: 'FEATURES', field: 'features', text: ({ features }) => features.join(',') },
  { title: 'CLAIMS', field: 'claims', text: ({ claims }) => (claims === undefined ? '' : String(claims)) },
  age,
  { title: 'PROVISIONER', field: 'provisioner', isWide: true, text: ({ provisioner }) => provisioner },
  { title: 'MOUNTOPTIONS', field: 'mountOptions', isWide: true, text: ({ mountOptions }) => mountOptions.join(',') },
  {
    title: 'TOPOLOGIES',
    field: 'allowedTopologies',
    isWide: true,
    text: ({ allowedTopologies }) => allowedTopologies.join(' or '),
  },
];
