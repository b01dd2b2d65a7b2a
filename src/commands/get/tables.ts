import type {
  ClaimRow,
  CsiNodeDriver,
  DriverRow,
  DriverSidecar,
  RowKind,
  RowOf,
  SnapshotRow,
} from '../../core/report/rows.ts';
import { compareQuantities } from '../../core/kube/quantity.ts';
import { age, attachedText, driverText, modesText, name, nothing, notKnown, podsText } from './column.ts';
import type { Column } from './column.ts';
import type { Style } from '../../terminal/theme.ts';

const phaseStyles: Readonly<Record<string, Style>> = {
  Lost: 'blocked',
  Failed: 'blocked',
  ResizeFailed: 'blocked',
  ModifyFailed: 'blocked',
  NotReady: 'blocked',
  Missing: 'blocked',
  Pending: 'waiting',
  Terminating: 'waiting',
  Released: 'waiting',
};
const statusStyle = ({ status }: { readonly status?: string }): Style | undefined =>
  status
    ?.split(',')
    .map((word) => phaseStyles[word])
    .find((style) => style !== undefined);
const attachedStyle = ({
  attachments,
}: {
  readonly attachments: readonly { readonly state: string }[];
}): Style | undefined =>
  attachments.some(({ state }) => state === 'failed')
    ? 'blocked'
    : attachments.some(({ state }) => state !== 'attached')
      ? 'waiting'
      : undefined;

/** What it has, and with an arrow what it asks for and has not. */
function sizeText({ capacity, requested }: ClaimRow): string {
  if (requested === undefined || (capacity !== undefined && compareQuantities(requested, capacity) <= 0))
    return capacity ?? '';
  return `${capacity ?? ''}→${requested}`;
}

const claimColumns: readonly Column<ClaimRow>[] = [
  name,
  { title: 'STATUS', field: 'status', text: ({ status }) => status, style: statusStyle },
  { title: 'VOLUME', field: 'volume', text: ({ volume = '' }) => volume },
  {
    title: 'CAPACITY',
    field: 'capacity',
    text: sizeText,
    sortValue: ({ capacity, requested }) => capacity ?? requested,
  },
  { title: 'MODES', field: 'accessModes', text: ({ accessModes }) => modesText(accessModes) },
  { title: 'CLASS', field: 'storageClass', text: ({ storageClass = '' }) => storageClass },
  { title: 'DRIVER', field: 'driver', text: driverText },
  { title: 'ATTACHED', field: 'attachments', text: attachedText, style: attachedStyle },
  { title: 'PODS', field: 'pods', text: ({ pods }, view) => podsText(pods, view) },
  age,
  { title: 'REQUESTED', field: 'requested', isWide: true, text: ({ requested = '' }) => requested },
  { title: 'RECLAIM', field: 'reclaimPolicy', isWide: true, text: ({ reclaimPolicy = '' }) => reclaimPolicy },
  { title: 'VOLUMEMODE', field: 'volumeMode', isWide: true, text: ({ volumeMode }) => volumeMode },
  { title: 'ATTRIBUTES', field: 'attributesClass', isWide: true, text: ({ attributesClass = '' }) => attributesClass },
  { title: 'HANDLE', field: 'volumeHandle', isWide: true, text: ({ volumeHandle = '' }) => volumeHandle },
];

const volumeColumns: readonly Column<RowOf['PersistentVolume']>[] = [
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

const registrationsText = ({
  registeredNodes,
  nodes,
}: {
  readonly registeredNodes?: number;
  readonly nodes?: number;
}): string => (registeredNodes === undefined ? '' : `${registeredNodes}/${nodes ?? notKnown}`);

const classColumns: readonly Column<RowOf['StorageClass']>[] = [
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

/** `ebs.csi.aws.com(3/25)`; without a limit `(3)`, and no count where nobody counts. */
function slotsText({ name: driver, used, limit }: CsiNodeDriver, unknown: readonly string[]): string {
  const count =
    used === undefined ? (unknown.includes(`drivers[${driver}].used`) ? notKnown : undefined) : String(used);
  return count === undefined ? driver : `${driver}(${limit === undefined ? count : `${count}/${limit}`})`;
}

function topologyText(drivers: readonly CsiNodeDriver[]): string {
  const labels = drivers.flatMap(({ topology }) =>
    Object.entries(topology).map(([key, value]) => `${key}=${value || nothing}`),
  );
  return [...new Set(labels)].join(',');
}

const csiNodeColumns: readonly Column<RowOf['CSINode']>[] = [
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

const attachmentColumns: readonly Column<RowOf['VolumeAttachment']>[] = [
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
    style: ({ state }) => (state === 'failed' ? 'blocked' : state === 'attached' ? undefined : 'waiting'),
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

function controllerText({ controller, controllerPods }: DriverRow): string {
  const pods = controllerPods ? `(${controllerPods.ready}/${controllerPods.total})` : '';
  return controller === 'unknown'
    ? pods
    : controller === 'none'
      ? ''
      : `${controller === 'works' ? 'up' : 'down'}${pods}`;
}

function sidecarText({ role, state, version }: DriverSidecar, isWide: boolean): string {
  return [role, ...(isWide && version !== undefined ? [version] : []), ...(state === 'down' ? ['down'] : [])].join(':');
}

/** The usual table names those that do the work; registrars and probes are for the wide one. */
const sidecarsText: Column<DriverRow>['text'] = ({ sidecars }, { isWide }) => {
  const shown = isWide
    ? sidecars
    : sidecars.filter(
        ({ role, state }) => state === 'down' || ['provisioner', 'attacher', 'resizer', 'snapshotter'].includes(role),
      );
  return [...new Set(shown.map((sidecar) => sidecarText(sidecar, isWide)))].join(',');
};

const driverColumns: readonly Column<DriverRow>[] = [
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
    text: (row, view) =>
      row.isDeclared === true ? age.text(row, view) : row.isDeclared === false ? '<undeclared>' : '',
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

const snapshotSource = ({ sourceClaim, sourceContent }: SnapshotRow): string =>
  sourceClaim === undefined
    ? sourceContent === undefined
      ? ''
      : `volumesnapshotcontent/${sourceContent}`
    : `pvc/${sourceClaim}`;

const snapshotColumns: readonly Column<SnapshotRow>[] = [
  name,
  {
    title: 'READY',
    field: 'isReady',
    text: ({ isReady, deletedAt }) => (deletedAt === undefined ? String(isReady ?? false) : 'Terminating'),
    style: ({ isReady, error }) => (isReady === true ? undefined : error === undefined ? 'waiting' : 'blocked'),
  },
  { title: 'SOURCE', field: 'sourceClaim', text: snapshotSource, sortValue: snapshotSource },
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

const capacityColumns: readonly Column<RowOf['CSIStorageCapacity']>[] = [
  { title: 'CLASS', field: 'storageClass', text: ({ storageClass }) => storageClass },
  { title: 'DRIVER', field: 'driver', text: ({ driver = '' }) => driver },
  { title: 'SEGMENT', field: 'segment', text: ({ segment }) => segment },
  { title: 'CAPACITY', field: 'capacity', text: ({ capacity = '' }) => capacity },
  { title: 'MAX-VOLUME', field: 'maximumVolumeSize', text: ({ maximumVolumeSize = '' }) => maximumVolumeSize },
  age,
  { title: 'NODES', field: 'nodes', isWide: true, text: ({ nodes }) => (nodes === undefined ? '' : String(nodes)) },
  { ...name, isWide: true },
];

const tables: { readonly [K in RowKind]: readonly Column<RowOf[K]>[] } = {
  PersistentVolumeClaim: claimColumns,
  PersistentVolume: volumeColumns,
  StorageClass: classColumns,
  CSINode: csiNodeColumns,
  VolumeAttachment: attachmentColumns,
  CSIDriver: driverColumns,
  VolumeSnapshot: snapshotColumns,
  CSIStorageCapacity: capacityColumns,
};

/** All columns of a kind, in their order. */
export function columnsOf(kind: RowKind): readonly Column[] {
  return tables[kind] as unknown as readonly Column[];
}
