import type { CsiNodeDriver, RowOf } from '../../../core/report/rows.ts';
import { age, name, nothing, notKnown } from '../column.ts';
import type { Column } from '../column.ts';
import { statusStyle } from './styles.ts';

/** `ebs.csi.aws.com(3/25)`; `(3)` without a limit, and no count if the driver's volumes are not counted. */
function slotsText({ name: driver, used, limit }: CsiNodeDriver, unknown: readonly string[]): string {
  const isUnknown = unknown.includes(`drivers[${driver}].used`);
  if (used === undefined && !isUnknown) return driver;
  const count = used ?? notKnown;
  return `${driver}(${limit === undefined ? count : `${count}/${limit}`})`;
}

function topologyText(drivers: readonly CsiNodeDriver[]): string {
  const labels = drivers.flatMap(({ topology }) =>
    Object.entries(topology).map(([key, value]) => `${key}=${value || nothing}`),
  );
  return [...new Set(labels)].join(',');
}

export const csiNodeColumns: readonly Column<RowOf['CSINode']>[] = [
  name,
  { title: 'STATUS', field: 'status', text: ({ status = '' }) => status, style: statusStyle },
  {
    title: 'DRIVERS',
    field: 'drivers',
    text: ({ drivers, unknown = [] }) => drivers.map((driver) => slotsText(driver, unknown)).join(','),
    style: ({ drivers }) =>
      drivers.some(({ used, limit }) => used !== undefined && limit !== undefined && used >= limit)
        ? 'blocked'
        : undefined,
    sortValue: ({ drivers }) => drivers.reduce((sum, { used = 0 }) => sum + used, 0),
  },
  {
    title: 'TOPOLOGY',
    field: 'topology',
    text: ({ drivers, unknown = [] }) => (unknown.includes('topology') ? '' : topologyText(drivers)),
    sortValue: ({ drivers }) => topologyText(drivers),
  },
  age,
  {
    title: 'NODE-IDS',
    field: 'drivers',
    isWide: true,
    text: ({ drivers }) => drivers.map(({ name: driver, nodeId = '' }) => `${driver}:${nodeId}`).join(','),
  },
];
