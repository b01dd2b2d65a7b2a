import { lastSeen, messageOf, newestMatch } from '../../graph/events.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { belongsTo, findPluginSets, lists, nodeOf, registeredName } from '../../facts/driver/node-plugin.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes, isTerminated } from '../../facts/pod/pod-state.ts';
import { isHandedToDriver } from '../../facts/volume/migrated-volume.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { attachmentName } from '../../kube/names.ts';
import type { Pod, PodVolume, Volume } from '../../kube/kinds.ts';
import { inTreeOfDriver, isMigratedByDefault, versionOf } from '../provision/in-tree.ts';
import { Registration } from './registration.ts';
import type { RegistrationOptions, Saying } from './registration.ts';

const unregistered =
  /driver name (\S+) not found\s+in the list of registered CSI drivers|CSINode (\S+) does not contain driver (\S+)|has no (NodeID annotation)/;
const noCsiNode = /csinodes?\.storage\.k8s\.io "([^"]+)" not found/;
const failures = ['FailedMount', 'FailedMapVolume', 'FailedAttachVolume'];
/** What was said longer before the last failure than this has been overcome. */
const freshMs = 300_000;

/** The drivers that a pod needs on its node, each with what is known of it there. */
export function registrationsOfPod(p: PodCase, isMounting: boolean): Registration[] {
  const node = p.pod.spec?.nodeName;
  if (!node || p.pod.metadata.deletionTimestamp !== undefined || hasMountedVolumes(p.pod) || isTerminated(p.pod))
    return [];
  const said = sayingOfPod(p, node);
  const drivers = new Set([...driversOfPod(p), ...(said?.driver === undefined ? [] : [said.driver])]);
  // Who may not read the volumes does not know the driver, and without a CSINode it does not matter which one it is.
  if (
    drivers.size === 0 &&
    said?.saying.what === 'noCsiNode' &&
    p.ask.get('CSINode', undefined, node, `which drivers are registered on ${node}`).state !== 'found'
  )
    drivers.add('any driver');
  return [...drivers].map((driver) =>
    registrationOf(p.ask, driver, node, {
      isMounting,
      said: said && (said.driver === undefined || said.driver === driver) ? said.saying : undefined,
      inTree: boundVolumes(p).find((volume) => isInTreeOf(volume, driver)),
    }),
  );
}

/** Several rules look at the same registration: it is found once for each inquiry. */
const known = new WeakMap<Inquiry, Map<string, Registration>>();

export function registrationOf(ask: Inquiry, driver: string, node: string, options: RegistrationOptions): Registration {
  const registrations = known.get(ask) ?? new Map<string, Registration>();
  known.set(ask, registrations);
  const key = `${driver}/${node}/${options.isMounting ?? false}/${options.isNeeded ?? true}/${options.said?.what ?? ''}/${options.inTree?.metadata.name ?? ''}`;
  const registration = registrations.get(key) ?? new Registration(ask, driver, node, options);
  registrations.set(key, registration);
  return registration;
}

export function driversOfPod(p: PodCase): string[] {
  const inline = (p.pod.spec?.volumes ?? []).map((volume): Pick<Volume, 'spec'> => ({ spec: sourceOf(volume) }));
  return [
    ...new Set(
      [...boundVolumes(p), ...inline].flatMap((volume) => drivenBy(p.ask, volume, p.pod.spec?.nodeName ?? '') ?? []),
    ),
  ];
}

function boundVolumes(p: PodCase): Volume[] {
  return p.claims.flatMap(({ volume }) => (volume?.state === 'found' ? [volume.object] : []));
}

function isInTreeOf(volume: Volume, driver: string): boolean {
  return volume.spec?.csi === undefined && servingDriver(volume) === driver;
}

function sourceOf({
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

/** An in-tree volume needs the CSI driver that took it over, where the kubelet of the node says so, or from the version on where that happened. */
function drivenBy(ask: Inquiry, volume: Pick<Volume, 'spec'>, node: string): string | undefined {
  const driver = servingDriver(volume);
  const inTree = driver && inTreeOfDriver(driver);
  if (volume.spec?.csi?.driver || !inTree) return driver;
  const version = versionOf(ask);
  return version === undefined || isMigratedByDefault(inTree, version) || isHandedToDriver(ask, inTree, node)
    ? driver
    : undefined;
}

function sayingOfPod(
  p: PodCase,
  node: string,
): { readonly driver: string | undefined; readonly saying: Saying } | undefined {
  const last = newestMatch(p.events.items, failures, /^/);
  const event = newestMatch(p.events.items, failures, unregistered) ?? newestMatch(p.events.items, failures, noCsiNode);
  if (last && event && lastSeen(event.event) >= lastSeen(last.event) - freshMs)
    return {
      driver: driverIn(messageOf(event.event)),
      saying: { what: kindOf(messageOf(event.event)), evidence: eventSaid(p.pod, event.event) },
    };
  for (const { volume } of p.claims) {
    const csi = volume?.state === 'found' ? volume.object.spec?.csi : undefined;
    const attachment =
      csi?.driver && csi.volumeHandle
        ? p.ask.graph.find('VolumeAttachment', undefined, attachmentName(csi.volumeHandle, csi.driver, node))
        : undefined;
    const message = attachment?.status?.attachError?.message ?? '';
    if (attachment && (unregistered.test(message) || noCsiNode.test(message)))
      return {
        driver: driverIn(message),
        saying: { what: kindOf(message), evidence: field(attachment, 'status.attachError.message', message) },
      };
  }
  return undefined;
}

function driverIn(message: string): string | undefined {
  const match = unregistered.exec(message);
  return match?.[1] ?? match?.[3];
}

function kindOf(message: string): Saying['what'] {
  return unregistered.test(message) ? 'unregistered' : 'noCsiNode';
}

/** An attachment that has not come about needs its driver on its node. */
export function registrationsOfAttachment(a: ObjectCase<'VolumeAttachment'>): Registration[] {
  const { spec, status } = a.object;
  if (a.isTerminating || status?.attached === true || !spec?.attacher || !spec.nodeName) return [];
  const message = status?.attachError?.message ?? '';
  const isSaid = unregistered.test(message) || noCsiNode.test(message);
  const volume = spec.source?.persistentVolumeName
    ? a.ask.graph.find('PersistentVolume', undefined, spec.source.persistentVolumeName)
    : undefined;
  const inTree = volume && isInTreeOf(volume, spec.attacher) ? volume : undefined;
  return [
    registrationOf(
      a.ask,
      spec.attacher,
      spec.nodeName,
      isSaid
        ? { inTree, said: { what: kindOf(message), evidence: field(a.object, 'status.attachError.message', message) } }
        : { inTree },
    ),
  ];
}

/** What belongs on a node: drivers with a pod there, with attachments there, and those that are nearly everywhere else. */
export function registrationsOfNode(n: ObjectCase<'Node'>): Registration[] {
  const pods = n.ask.podsOnNode(n.name).items;
  const plugins = pods.flatMap((pod) => registeredName(pod.spec) ?? []);
  const inline = pods.flatMap((pod) => (pod.spec?.volumes ?? []).flatMap(({ csi }) => csi?.driver ?? []));
  const attached = n.ask
    .list('VolumeAttachment', undefined, `which volumes are attached to ${n.name}`)
    .items.filter(({ spec, metadata }) => spec?.nodeName === n.name && metadata.deletionTimestamp === undefined)
    .flatMap(({ spec }) => spec?.attacher ?? []);
  const needed = new Set([...plugins, ...inline, ...attached]);
  return [...new Set([...needed, ...usualDrivers(n)])]
    .sort()
    .map((driver) =>
      registrationOf(n.ask, driver, n.name, { isMounting: needed.has(driver), isNeeded: needed.has(driver) }),
    );
}

/** Control plane nodes are left out on purpose in most clusters. */
const controlPlane = /^node-role\.kubernetes\.io\/(control-plane|master)$/;

function usualDrivers(n: ObjectCase<'Node'>): string[] {
  if ((n.object.spec?.taints ?? []).some(({ key }) => controlPlane.test(key ?? ''))) return [];
  const others = n.ask
    .list('CSINode', undefined, 'which drivers the other nodes have')
    .items.filter(({ metadata }) => metadata.name !== n.name);
  const drivers = new Set(others.flatMap(({ spec }) => (spec?.drivers ?? []).flatMap(({ name }) => name ?? [])));
  return [...drivers].filter((driver) => others.filter((other) => lists(other, driver)).length * 2 > others.length);
}

/** Each node that a driver's sets have a pod for. */
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
  return [...byNode]
    .sort(([a], [b]) => compareText(a, b))
    .map(([node, items]) =>
      registrationOf(d.ask, d.name, node, {
        isMounting: true,
        plugin: { driver: d.name, node, pods: { items, complete }, sets },
      }),
    );
}
