import { claimNamesOf } from '../../graph/cluster-graph.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { delayedClaims, nameAll } from '../../facts/pod/pod-placement.ts';
import { placedVolumes } from '../../facts/volume/volume-reach.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import type { DriverSlots } from '../../facts/volume/volume-slots.ts';
import { driverOfInTree } from '../../kube/in-tree.ts';
import type { Pod, StatefulSet } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { changePod } from '../lib/pod-change.ts';
import { recreateSetCommands } from '../lib/remake-set.ts';
import type { Operation } from '../lib/remake-set.ts';
import { kubectl, steps } from '../lib/steps.ts';

/** A pod that no node can take, however empty it is: it alone brings more volumes of a driver than a node may hold. */
export interface OversizedPod {
  readonly driver: string;
  /** How many volumes of the driver the pod uses. */
  readonly own: number;
  /** The most that any node may hold. */
  readonly most: number;
  /** Claims of the pod with volumes of this driver, those without a volume last. */
  readonly claims: readonly string[];
}

export function oversizedBy(p: PodCase, { driver, nodes }: DriverSlots, own: number): OversizedPod | undefined {
  if (nodes.length === 0 || !hasLimitEverywhere(p, driver)) return undefined;
  const most = Math.max(...nodes.map(({ limit }) => limit));
  if (most <= 0 || own <= most) return undefined;
  return { driver, own, most, claims: claimsOf(p, driver) };
}

/** A node that reports no limit could take any number. */
function hasLimitEverywhere({ ask }: PodCase, driver: string): boolean {
  const entries = ask.seen('CSINode').flatMap(({ spec }) => spec?.drivers?.filter(({ name }) => name === driver) ?? []);
  return entries.every(({ allocatable }) => allocatable?.count !== undefined);
}

function claimsOf(p: PodCase, driver: string): string[] {
  const placed = placedVolumes(p).filter(({ volume }) => servingDriver(volume) === driver);
  const waiting = delayedClaims(p).filter(
    ({ provisioner }) => provisioner !== undefined && (driverOfInTree(provisioner) ?? provisioner) === driver,
  );
  return [...placed.map(({ claim }) => claim.name), ...waiting.map(({ name }) => name)];
}

/** Which volume the application can do without only a person knows: those that hold nothing yet are an example. */
export function shrinkPodFixes(p: PodCase, oversized: OversizedPod): Fix[] {
  const { driver, own, most, claims } = oversized;
  const dropped = claims.slice(-(own - most));
  const names = nameAll(dropped.map((name) => `pvc/${name}`));
  const change = dropVolumes(p, dropped);
  return [
    steps(
      `Let pod/${p.pod.metadata.name} use at most ${most} volumes of ${driver}: keep its data on fewer, larger claims, ` +
        `or split the workload into several pods. The commands drop ${names} ${change.where}, as an example: choose ` +
        `the ${own - most === 1 ? 'one' : 'ones'} that it can do without.${change.note} The pod is then scheduled ` +
        'automatically.',
      change.commands,
      change.risk,
    ),
    ...(isByMachine(p, driver)
      ? [
          steps(
            `Or add a node of a machine type to which ${driver} can attach at least ${own} volumes: its limit depends ` +
              'on the machine type. The pod is scheduled once the node is Ready and the driver is registered on it.',
            [],
          ),
        ]
      : []),
  ];
}

/** These drivers report what the machine type allows; many others have one limit for all machines. */
const limitedByMachine = /^(?:ebs\.csi\.aws\.com|disk\.csi\.azure\.com|pd\.csi\.storage\.gke\.io|diskplugin\.csi\.)/;

function isByMachine({ ask }: PodCase, driver: string): boolean {
  const limits = ask
    .seen('CSINode')
    .flatMap(({ spec }) => spec?.drivers?.find(({ name }) => name === driver)?.allocatable?.count ?? []);
  return limitedByMachine.test(driver) || new Set(limits).size > 1;
}

function dropVolumes({ ask, pod }: PodCase, dropped: readonly string[]) {
  const owner = ownerOf(pod);
  const set =
    owner?.kind === 'StatefulSet' ? ask.graph.find('StatefulSet', pod.metadata.namespace, owner.name) : undefined;
  const templates = set?.spec?.volumeClaimTemplates ?? [];
  if (set && templates.length > 0) return dropTemplates(set, pod, dropped);
  return changePod(pod, withoutVolumes(pod, dropped));
}

/** A strategic merge patch: volumes are merged by name, mounts by path, devices by path. */
function withoutVolumes({ spec }: Pod, dropped: readonly string[]): object {
  const volumes = (spec?.volumes ?? []).filter(({ persistentVolumeClaim }) =>
    dropped.includes(persistentVolumeClaim?.claimName ?? ''),
  );
  const names = new Set(volumes.map(({ name }) => name));
  const containers = (spec?.containers ?? []).flatMap(({ name, volumeMounts = [], volumeDevices = [] }) => {
    const mounts = volumeMounts.filter((mount) => names.has(mount.name));
    const devices = volumeDevices.filter((device) => names.has(device.name));
    if (mounts.length + devices.length === 0) return [];
    return [
      {
        name,
        ...(mounts.length > 0 && {
          volumeMounts: mounts.map(({ mountPath }) => ({ mountPath, $patch: 'delete' })),
        }),
        ...(devices.length > 0 && {
          volumeDevices: devices.map(({ devicePath }) => ({ devicePath, $patch: 'delete' })),
        }),
      },
    ];
  });
  return {
    volumes: volumes.map(({ name }) => ({ name, $patch: 'delete' })),
    ...(containers.length > 0 && { containers }),
  };
}

/** The claims of a set come from templates, which cannot be changed in place. */
function dropTemplates(set: StatefulSet, pod: Pod, dropped: readonly string[]) {
  const templates = set.spec?.volumeClaimTemplates ?? [];
  const names = new Set(
    templates
      .map(({ metadata }) => metadata?.name ?? '')
      .filter((name) => dropped.includes(`${name}-${pod.metadata.name}`)),
  );
  const indexes = templates.flatMap(({ metadata }, index) => (names.has(metadata?.name ?? '') ? [index] : []));
  const mounts = (set.spec?.template?.spec?.containers ?? []).flatMap(({ volumeMounts = [] }, container) =>
    volumeMounts.flatMap(({ name }, index) =>
      names.has(name ?? '') ? [`/spec/template/spec/containers/${container}/volumeMounts/${index}`] : [],
    ),
  );
  // From the last to the first, so that no index moves before it is used.
  const paths = [...indexes.map((index) => `/spec/volumeClaimTemplates/${index}`), ...mounts].reverse();
  const operations = paths.map((path): Operation => ({ op: 'remove', path }));
  return {
    commands: names.size === 0 ? [] : [...recreateSetCommands(set, operations), kubectl('delete', pod)],
    where: `in statefulset/${set.metadata.name}`,
    note: ' Its templates cannot be changed in place, so the set is recreated around its running pods.',
    risk: 'disruptive' as const,
  };
}

/** What all claims of the pod bring, as evidence. */
export function claimsText({ pod }: PodCase, { own, driver }: OversizedPod): string {
  const all = claimNamesOf(pod).length;
  return all === own ? `${own} claims, all of ${driver}` : `${all} claims, ${own} of them of ${driver}`;
}
