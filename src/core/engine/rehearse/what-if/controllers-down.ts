import type { Pod } from '../../../kube/kinds.ts';
import { sidecarOf } from '../../../facts/driver/driver-pods.ts';
import { findController } from '../../../facts/driver/drivers.ts';
import type { SidecarRole } from '../../../facts/driver/drivers.ts';
import { registeredName, registrarOf } from '../../../facts/driver/node-plugin.ts';
import { servingDriver } from '../../../facts/volume/volume-slots.ts';
import { sidecarRoles } from '../installation.ts';
import { recordOf } from '../templates.ts';
import { podsOfDriver } from './delete-driver.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { count } from './leave-node.ts';

/** What no longer works without a sidecar, and what `why` calls it. */
const losses: Readonly<Record<(typeof sidecarRoles)[number], readonly [cause: string, words: string]>> = {
  provisioner: ['provisioner-not-running', 'no volume is provisioned or deleted'],
  attacher: ['attach-attacher-not-running', 'no volume is attached or detached, so pods that move do not start'],
  resizer: ['resize-no-resizer', 'no volume is expanded'],
  snapshotter: ['snap-sidecar-down', 'no snapshot is taken or deleted'],
};

/**
 * Controllers of drivers whose last pod is removed. Their leases are made old, because the diagnosis treats a fresh
 * lease as proof of a running controller. Returns the pods that may not be able to start again.
 */
export function judgeControllers(f: Future, failed: ReadonlySet<Pod> = new Set()): readonly Pod[] {
  const returning = new Set(f.departures.filter(({ returns }) => returns).map(({ pod }) => pod));
  const isDown = (pod: Pod): boolean =>
    failed.has(pod) ||
    (!returning.has(pod) && f.world.get('Pod', pod.metadata.namespace, pod.metadata.name) === undefined);
  const gone = f.before.seen('Pod').filter((pod) => isServing(pod) && isDown(pod));
  if (gone.length === 0) return [];
  judgeSnapshotController(f, gone, isDown);
  judgeNodePlugins(f, gone);
  const drivers = new Set([
    ...f.before.seen('CSIDriver').map(({ metadata }) => metadata.name),
    ...f.before.seen('PersistentVolume').flatMap((volume) => servingDriver(volume) ?? []),
  ]);
  return [...drivers].flatMap((driver) => judgeDriver(f, driver, isDown));
}

const snapshotController = 'snapshot-controller';

function isServing({ spec }: Pod): boolean {
  return (
    sidecarRoles.some((role) => sidecarOf(spec, role) !== undefined) ||
    registrarOf(spec) !== undefined ||
    isSnapshotController({ spec })
  );
}

function isSnapshotController({ spec }: Pick<Pod, 'spec'>): boolean {
  return (spec?.containers ?? []).some(
    ({ name, image = '' }) => name === snapshotController || image.includes(`/${snapshotController}:`),
  );
}

function judgeDriver(f: Future, driver: string, isDown: (pod: Pod) => boolean): readonly Pod[] {
  const lost = sidecarRoles.filter((role) => {
    const { pods, lease } = findController(f.before, driver, role);
    if (pods.items.length === 0 || !pods.items.every(isDown)) return false;
    if (lease.object) makeStale(f, lease.object.metadata.namespace, lease.object.metadata.name);
    return true;
  });
  if (lost.length === 0) return [];
  const users = podsOfDriver(f, driver);
  const volumes = f.before.seen('PersistentVolume').filter((volume) => servingDriver(volume) === driver);
  const isUsed =
    users.length > 0 ||
    volumes.length > 0 ||
    f.before.seen('StorageClass').some(({ provisioner }) => provisioner === driver);
  const pods = lost.flatMap((role) => findController(f.before, driver, role).pods.items);
  const [worst] = [...lost].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  f.add({
    effect: 'broken',
    severity: isUsed ? 'breaks' : 'notice',
    ...(worst && { cause: losses[worst][0] }),
    summary:
      `The controller of ${driver} would not run any more: ${lost.map((role) => losses[role][1]).join('; ')}. ` +
      `${count(users.length, 'pod')} and ${count(volumes.length, 'volume')} depend on it. ` +
      'Running pods keep their volumes.',
    objects: [{ kind: 'CSIDriver', name: driver }, ...new Set(pods)].map((one) =>
      'metadata' in one ? plainRef(one) : one,
    ),
  });
  return lost.includes('attacher') ? users : [];
}

const order: readonly SidecarRole[] = ['attacher', 'provisioner', 'snapshotter', 'resizer'];

function makeStale(f: Future, namespace: string | undefined, name: string): void {
  const lease = f.world.get('Lease', namespace, name);
  if (lease) f.world.put({ ...lease, spec: { ...recordOf(lease['spec']), renewTime: f.world.madeAt } });
}

function judgeSnapshotController(f: Future, gone: readonly Pod[], isDown: (pod: Pod) => boolean): void {
  const [one] = gone.filter(isSnapshotController);
  if (!one) return;
  const all = f.before.seen('Pod').filter((pod) => isSnapshotController(pod) && pod.status?.phase === 'Running');
  if (!all.every(isDown)) return;
  makeStale(f, one.metadata.namespace, 'snapshot-controller-leader');
  f.add({
    effect: 'broken',
    severity: 'breaks',
    cause: 'snap-controller-down',
    summary: 'The snapshot controller would not run any more: no snapshot is taken, restored or deleted.',
    objects: all.map(plainRef),
  });
}

/**
 * A node plugin that goes while its node stays: the kubelet can neither mount nor unmount volumes of the driver there.
 */
function judgeNodePlugins(f: Future, gone: readonly Pod[]): void {
  const left = new Set(f.departures.map(({ node }) => node));
  const plugins = gone.filter((pod) => {
    const node = pod.spec?.nodeName ?? '';
    return registrarOf(pod.spec) !== undefined && !left.has(node) && isNodeAlive(f, node);
  });
  for (const [driver, pods] of Map.groupBy(plugins, ({ spec }) => registeredName(spec) ?? ''))
    f.add({
      effect: 'broken',
      severity: 'breaks',
      cause: 'driver-not-on-node',
      confidence: 'likely',
      summary:
        `The node plugin${driver === '' ? '' : ` of ${driver}`} would be gone from ` +
        `${count(pods.length, 'node')}: no volume of it can be mounted or unmounted there, and pods with such ` +
        'volumes stay Terminating.',
      objects: pods.map(plainRef),
    });
}

function isNodeAlive(f: Future, name: string): boolean {
  const node = f.world.get('Node', undefined, name);
  return node !== undefined && !JSON.stringify(recordOf(node['spec'])['taints'] ?? []).includes('unreachable');
}
