import type { DriverRow, DriverSidecar } from '../../../core/report/rows.ts';
import { age, name } from '../column.ts';
import type { Column } from '../column.ts';
import { registrationsText } from './styles.ts';

function controllerText({ controller, controllerPods }: DriverRow): string {
  const pods = controllerPods ? `(${controllerPods.ready}/${controllerPods.total})` : '';
  if (controller === 'none') return '';
  return controller === 'unknown' ? pods : `${controller === 'works' ? 'up' : 'down'}${pods}`;
}

/** A driver without a CSIDriver object has no age. */
const driverAge: Column<DriverRow>['text'] = (row, view) => {
  if (row.isDeclared === true) return age.text(row, view);
  return row.isDeclared === false ? '<undeclared>' : '';
};

function sidecarText({ role, state, version }: DriverSidecar, isWide: boolean): string {
  return [role, ...(isWide && version !== undefined ? [version] : []), ...(state === 'down' ? ['down'] : [])].join(':');
}

/** The usual table names the sidecars that provision, attach, resize and take snapshots; the wide one names all. */
const sidecarsText: Column<DriverRow>['text'] = ({ sidecars }, { isWide }) => {
  const shown = isWide
    ? sidecars
    : sidecars.filter(
        ({ role, state }) => state === 'down' || ['provisioner', 'attacher', 'resizer', 'snapshotter'].includes(role),
      );
  return [...new Set(shown.map((sidecar) => sidecarText(sidecar, isWide)))].join(',');
};

export const driverColumns: readonly Column<DriverRow>[] = [
  name,
  { title: 'VERSION', field: 'version', text: ({ version = '' }) => version },
  {
    title: 'ATTACH',
    field: 'isAttachRequired',
    text: ({ isAttachRequired }) => (isAttachRequired === undefined ? '' : String(isAttachRequired)),
  },
  {
    title: 'CONTROLLER',
    field: 'controller',
    text: controllerText,
    style: ({ controller }) => (controller === 'down' ? 'blocked' : undefined),
  },
  { title: 'LEADER', field: 'leader', text: ({ leader = '' }) => leader },
  {
    title: 'SIDECARS',
    field: 'sidecars',
    text: sidecarsText,
    style: ({ sidecars }) => (sidecars.some(({ state }) => state === 'down') ? 'blocked' : undefined),
  },
  {
    title: 'NODES',
    field: 'registeredNodes',
    text: registrationsText,
    style: ({ registeredNodes }) => (registeredNodes === 0 ? 'blocked' : undefined),
  },
  { title: 'CLASSES', field: 'classes', text: ({ classes }) => classes.join(',') },
  { title: 'VOLUMES', field: 'volumes', text: ({ volumes }) => (volumes === undefined ? '' : String(volumes)) },
  {
    ...age,
    text: driverAge,
  },
  { title: 'FEATURES', field: 'features', isWide: true, text: ({ features }) => features.join(',') },
  { title: 'LIFECYCLE', field: 'lifecycleModes', isWide: true, text: ({ lifecycleModes }) => lifecycleModes.join(',') },
  { title: 'FSGROUP', field: 'fsGroupPolicy', isWide: true, text: ({ fsGroupPolicy = '' }) => fsGroupPolicy },
  {
    title: 'RUNS-IN',
    field: 'controllerNamespace',
    isWide: true,
    text: ({ controllerNamespace = '' }) => controllerNamespace,
  },
];
