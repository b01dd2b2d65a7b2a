import {
  belongsTo,
  driverOfPlugin,
  findPluginSets,
  lists,
  nodeOf,
  seenPluginPods,
} from '../../facts/driver/node-plugin.ts';
import { isControlPlane, runsVolumes } from '../../facts/driver/undecided-plugin.ts';
import { field } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes, isTerminated } from '../../facts/pod/pod-state.ts';
import { isHandedToDriver } from '../../facts/volume/migrated-volume.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Pod, PodVolume, Volume } from '../../kube/kinds.ts';
import { inTreeOfDriver, isMigratedByDefault, versionOf } from '../provision/in-tree.ts';
import { registeredDrivers } from './csinode.ts';
import { findReportedError, readRegistrationError } from './registration-error.ts';
import { Registration } from './registration.ts';
import type { RegistrationOptions } from './registration.ts';

/** The drivers that a pod needs on its node, each with what is known of it there. */
export function registrationsOfPod(p: PodCase, isMounting: boolean): Registration[] {
  const node = p.pod.spec?.nodeName;
  if (!node || p.pod.metadata.deletionTimestamp !== undefined || hasMountedVolumes(p.pod) || isTerminated(p.pod))
    return [];
  const reported = findReportedError(p, node);
  const drivers = new Set(driversOfPod(p));
  if (reported?.driver !== undefined) drivers.add(reported.driver);
  // Without the right to read volumes the driver is unknown, and without a CSINode it does not matter which one it is.
  if (drivers.size === 0 && reported?.error.kind === 'noCsiNode' && !hasCsiNode(p.ask, node)) drivers.add('any driver');
  return [...drivers].map((driver) =>
    registrationOf(p.ask, driver, node, {
      isMounting,
      error: reported && (reported.driver ?? driver) === driver ? reported.error : undefined,
      inTree: boundVolumes(p).find((volume) => isInTreeOf(volume, driver)),
      selectedOs: selectedOs(p.pod),
    }),
  );
}

const osLabels = ['kubernetes.io/os', 'beta.kubernetes.io/os'];

/** A container of one operating system does not start on another, so a pod that selects one means it. */
function selectedOs({ spec }: Pod): string | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const byAffinity = (required ?? []).map(({ matchExpressions = [] }) =>
    matchExpressions.find(({ key = '', operator, values }) => {
      return osLabels.includes(key) && operator === 'In' && values?.length === 1;
    }),
  );
  const [first] = byAffinity.map((expression) => expression?.values?.[0]);
  const isOne = byAffinity.every((expression) => expression?.values?.[0] === first);
  return osLabels.map((label) => spec?.nodeSelector?.[label]).find(Boolean) ?? (isOne ? first : undefined);
}

function hasCsiNode(ask: Inquiry, node: string): boolean {
  return ask.get('CSINode', undefined, node, `which drivers are registered on ${node}`).state === 'found';
}

/** Several rules look at the same registration, so it is built once for each inquiry. */
const known = new WeakMap<Inquiry, Map<string, Registration>>();

export function registrationOf(ask: Inquiry, driver: string, node: string, options: RegistrationOptions): Registration {
  const registrations = known.get(ask) ?? new Map<string, Registration>();
  known.set(ask, registrations);
  const { isMounting = false, isNeeded = true, error, inTree, selectedOs: os } = options;
  const key = [driver, node, isMounting, isNeeded, error?.kind, inTree?.metadata.name, os].join('/');
  const registration = registrations.get(key) ?? new Registration(ask, driver, node, options);
  registrations.set(key, registration);
  return registration;
}

export function driversOfPod(p: PodCase): string[] {
  const inline = (p.pod.spec?.volumes ?? []).map((volume): Pick<Volume, 'spec'> => ({ spec: drivenSource(volume) }));
  const drivers = [...boundVolumes(p), ...inline].flatMap(
    (volume) => drivenBy(p.ask, volume, p.pod.spec?.nodeName ?? '') ?? [],
  );
  return [...new Set(drivers)];
}

function boundVolumes(p: PodCase): Volume[] {
  return p.claims.flatMap(({ volume }) => (volume?.state === 'found' ? [volume.object] : []));
}

function isInTreeOf(volume: Volume, driver: string): boolean {
  return volume.spec?.csi === undefined && servingDriver(volume) === driver;
}

/** The source of a volume in a pod as a PersistentVolume would state it, if a CSI driver can serve it. */
function drivenSource({
  csi,
  awsElasticBlockStore,
  gcePersistentDisk,
  azureDisk,
  azureFile,
  cinder,
  vsphereVolume,
  portworxVolume,
}: PodVolume): NonNullable<Volume['spec']> {
  const sources = {
    awsElasticBlockStore,
    gcePersistentDisk,
    azureDisk,
    azureFile,
    cinder,
    vsphereVolume,
    portworxVolume,
    csi: csi?.driver ? { driver: csi.driver } : undefined,
  };
  return Object.fromEntries(Object.entries(sources).filter(([, source]) => source !== undefined));
}

/**
 * An in-tree volume needs the CSI driver that took it over, if the kubelet of the node says so, or from the version on
 * in which the migration became the default.
 */
function drivenBy(ask: Inquiry, volume: Pick<Volume, 'spec'>, node: string): string | undefined {
  const driver = servingDriver(volume);
  const inTree = driver && inTreeOfDriver(driver);
  if (volume.spec?.csi?.driver || !inTree) return driver;
  const version = versionOf(ask);
  return version === undefined || isMigratedByDefault(inTree, version) || isHandedToDriver(ask, inTree, node)
    ? driver
    : undefined;
}

/** A volume that is not attached yet needs its driver on its node. */
export function registrationsOfAttachment(a: ObjectCase<'VolumeAttachment'>): Registration[] {
  const { spec, status } = a.object;
  if (a.isTerminating || status?.attached === true || !spec?.attacher || !spec.nodeName) return [];
  const message = status?.attachError?.message ?? '';
  const error = readRegistrationError(message, () => field(a.object, 'status.attachError.message', message));
  const volume = spec.source?.persistentVolumeName
    ? a.ask.graph.find('PersistentVolume', undefined, spec.source.persistentVolumeName)
    : undefined;
  const inTree = volume && isInTreeOf(volume, spec.attacher) ? volume : undefined;
  return [registrationOf(a.ask, spec.attacher, spec.nodeName, { inTree, error })];
}

/** The drivers with a pod or an attachment on the node, and those that most other nodes have. */
export function registrationsOfNode(n: ObjectCase<'Node'>): Registration[] {
  const pods = n.ask.podsOnNode(n.name).items;
  const plugins = pods.flatMap((pod) => driverOfPlugin(n.ask, pod.spec) ?? []);
  const inline = pods.flatMap((pod) => (pod.spec?.volumes ?? []).flatMap(({ csi }) => csi?.driver ?? []));
  const attached = n.ask
    .list('VolumeAttachment', undefined, `which volumes are attached to ${n.name}`)
    .items.filter(({ spec, metadata }) => spec?.nodeName === n.name && metadata.deletionTimestamp === undefined)
    .flatMap(({ spec }) => spec?.attacher ?? []);
  const needed = new Set([...plugins, ...inline, ...attached]);
  // What the node needs comes first: for the others, a driver that is missing is only worth a warning.
  return [
    ...[...needed].sort(),
    ...usualDrivers(n, pods)
      .filter((driver) => !needed.has(driver))
      .sort(),
  ].map((driver) =>
    registrationOf(n.ask, driver, n.name, { isMounting: needed.has(driver), isNeeded: needed.has(driver) }),
  );
}

function usualDrivers(n: ObjectCase<'Node'>, pods: readonly Pod[]): string[] {
  if (isControlPlane(n.object) && !runsVolumes(pods)) return [];
  const others = n.ask
    .list('CSINode', undefined, 'which drivers the other nodes have')
    .items.filter(({ metadata }) => metadata.name !== n.name);
  const drivers = new Set(others.flatMap(registeredDrivers));
  return [...drivers].filter((driver) => others.filter((other) => lists(other, driver)).length * 2 > others.length);
}

/** Each node for which the DaemonSets of a driver have a pod, or where such a pod was read without its DaemonSet. */
export function registrationsOfDriver(d: Pick<ObjectCase<'CSIDriver'>, 'ask' | 'name'>): Registration[] {
  const sets = findPluginSets(d.ask, d.name);
  const byNode = new Map<string, Pod[]>();
  let complete = true;
  for (const set of sets.items) {
    const pods = d.ask.list(
      'Pod',
      set.metadata.namespace ?? '',
      `whether the node plugin of ${d.name} runs on its nodes`,
    );
    complete &&= pods.complete;
    for (const pod of pods.items) {
      const node = belongsTo(set, pod) && pod.metadata.deletionTimestamp === undefined ? nodeOf(pod) : undefined;
      if (node !== undefined) byNode.set(node, [...(byNode.get(node) ?? []), pod]);
    }
  }
  if (sets.items.length === 0) {
    complete = false;
    for (const [node, pods] of Map.groupBy(seenPluginPods(d.ask, d.name), nodeOf))
      if (node !== undefined) byNode.set(node, pods);
  }
  return [...byNode]
    .sort(([a], [b]) => compareText(a, b))
    .map(([node, items]) =>
      registrationOf(d.ask, d.name, node, {
        isMounting: true,
        plugin: { driver: d.name, node, pods: { items, complete }, sets },
      }),
    );
}
