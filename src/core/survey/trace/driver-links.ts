import type { Controller } from '../../facts/driver/controller.ts';
import { lists } from '../../facts/driver/node-plugin.ts';
import type { NodePlugin } from '../../facts/driver/node-plugin.ts';
import { refOf } from '../../graph/inquiry.ts';
import { isCrashing, whyNotRunning } from '../../facts/pod/pod-health.ts';
import { conditionOf, containerStatusesOf, isReady } from '../../facts/pod/pod-state.ts';
import type { Pod } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { LinkRole, LinkState, TraceLink } from '../../report/trace.ts';
import type { RelatedVolume } from './related-objects.ts';
import type { Place } from './places.ts';

export function nodeLinks(place: Place, driver: string | undefined, now: number): TraceLink[] {
  return [nodeLink(place), ...registrationLink(place, driver), ...pluginLink(place, driver, now)];
}

function nodeLink({ node, nodeObject }: Place): TraceLink {
  const object = { kind: 'Node', name: node };
  if (nodeObject.state !== 'found')
    return {
      role: 'node',
      object,
      state: nodeObject.state,
      summary: nodeObject.state === 'missing' ? 'does not exist any more' : 'could not be read',
    };
  const isNodeReady = conditionOf(nodeObject.object.status?.conditions, 'Ready')?.status === 'True';
  const isCordoned = nodeObject.object.spec?.unschedulable === true;
  return {
    role: 'node',
    object: refOf(nodeObject.object),
    state: isNodeReady ? 'ok' : 'failed',
    summary: `${isNodeReady ? 'Ready' : 'not ready'}${isCordoned ? ', cordoned' : ''}`,
  };
}

function registrationLink({ csiNode, node }: Place, driver: string | undefined): TraceLink[] {
  if (!csiNode || driver === undefined) return [];
  const object = { kind: 'CSINode', name: node };
  if (csiNode.state !== 'found')
    return [
      {
        role: 'registration',
        object,
        state: csiNode.state,
        summary:
          csiNode.state === 'missing' ? 'does not exist: no driver is registered on the node' : 'could not be read',
      },
    ];
  const registered = refOf(csiNode.object);
  if (!lists(csiNode.object, driver))
    return [{ role: 'registration', object: registered, state: 'missing', summary: `${driver} is not registered` }];
  const limit = csiNode.object.spec?.drivers?.find(({ name }) => name === driver)?.allocatable?.count;
  const summary = `${driver} is registered${limit === undefined ? '' : `, at most ${limit} volumes`}`;
  return [{ role: 'registration', object: registered, state: 'ok', summary }];
}

function pluginLink({ plugin, node }: Place, driver: string | undefined, now: number): TraceLink[] {
  if (!plugin || driver === undefined) return [];
  return workerLinks('nodePlugin', plugin.pods.items, now) ?? [{ role: 'nodePlugin', ...absentPlugin(plugin, node) }];
}

function absentPlugin({ pods, sets }: NodePlugin, node: string): Pick<TraceLink, 'state' | 'summary' | 'object'> {
  const [set] = sets.items;
  if (set && pods.complete) return { object: refOf(set), state: 'missing', summary: `has no pod on ${node}` };
  // A plugin may run outside of pods: then only its registration shows that it runs.
  return {
    state: 'unknown',
    summary: pods.complete ? `no pod of it was found on ${node}` : 'its pods could not be read',
  };
}

export function driverLink({ driver, driverObject }: RelatedVolume): TraceLink[] {
  if (driver === undefined || !driverObject) return [];
  const object = { kind: 'CSIDriver', name: driver };
  if (driverObject.state === 'unknown')
    return [{ role: 'driver', object, state: 'unknown', summary: 'could not be read' }];
  if (driverObject.state === 'missing')
    return [{ role: 'driver', object, state: 'missing', summary: 'is not installed, or leaves no object' }];
  return [
    {
      role: 'driver',
      object: refOf(driverObject.object),
      state: 'ok',
      summary: driverObject.object.spec?.attachRequired === false ? 'installed, attaches nothing' : 'installed',
    },
  ];
}

/** A controller is known by its lease and by its pods; either may not be readable. */
export function controllerLinks(role: LinkRole, controller: Controller, now: number): TraceLink[] {
  const lease = leaseText(controller, now);
  const links = workerLinks(role, controller.pods.items, now, lease && `lease ${controller.lease.name} ${lease}`);
  const isStale = controller.lease.state === 'stale';
  if (links) return links.map((link) => (isStale && link.state === 'ok' ? { ...link, state: 'failed' } : link));
  const { workload } = controller;
  const object = workload
    ? { kind: workload.kind, namespace: workload.namespace, name: workload.name }
    : controller.lease.object && refOf(controller.lease.object);
  const held = workload && lease ? `lease ${controller.lease.name} ${lease}` : lease;
  return [
    {
      role,
      ...(object && { object }),
      state: stateWithoutPods(controller),
      summary: [absenceText(controller), held].filter(Boolean).join('; ') || 'its lease and pods could not be read',
    },
  ];
}

function isScaledToZero({ workload }: Controller): boolean {
  return workload?.object?.spec?.replicas === 0;
}

function stateWithoutPods(controller: Controller): LinkState {
  const { state } = controller.lease;
  if (isScaledToZero(controller) || state === 'stale') return 'failed';
  return state === 'fresh' ? 'ok' : 'unknown';
}

/** A sidecar without leader election, or outside of the cluster, has neither a lease nor a pod. */
function absenceText(controller: Controller): string {
  const { workload, pods, lease } = controller;
  if (isScaledToZero(controller)) return 'scaled to zero';
  if (workload) return 'has no pods';
  return pods.complete && lease.state === 'missing' ? 'neither a pod nor a lease of it was found' : '';
}

function leaseText({ lease }: Controller, now: number): string {
  if (!lease.object) return '';
  const { holderIdentity, renewTime } = lease.object.spec ?? {};
  const last = lease.state === 'stale' && holderIdentity ? 'last ' : '';
  return `${last}held by ${holderIdentity || 'no pod'}${renewalText(lease.state === 'stale', renewTime, now)}`;
}

function renewalText(isStale: boolean, renewTime: string | undefined, now: number): string {
  const renewed = parseTime(renewTime);
  if (renewed === undefined) return '';
  return isStale ? `, not renewed for ${ageText(renewed, now)}` : ', renewed in time';
}

const mostWorkers = 3;

/** The pods of a controller or a node plugin; undefined where there is none. */
function workerLinks(role: LinkRole, pods: readonly Pod[], now: number, lease = ''): TraceLink[] | undefined {
  if (pods.length === 0) return undefined;
  return pods.slice(0, mostWorkers).map((pod, index): TraceLink => {
    const more =
      index === mostWorkers - 1 && pods.length > mostWorkers ? [`and ${pods.length - mostWorkers} more pods`] : [];
    const notes = [...(index === 0 && lease ? [lease] : []), ...more];
    return { role, object: refOf(pod), ...healthOf(pod, now), ...(notes.length > 0 && { notes }) };
  });
}

function healthOf(pod: Pod, now: number): Pick<TraceLink, 'state' | 'summary'> {
  const statuses = containerStatusesOf(pod);
  const crashing = statuses.find((status) => isCrashing(status, now));
  const restarts = restartText(statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0));
  if (crashing) return { state: 'failed', summary: `container ${crashing.name ?? ''} keeps crashing${restarts}` };
  if (isReady(pod)) return { state: 'ok', summary: `ready${restarts}` };
  return { state: 'failed', summary: `${whyNotRunning(pod)}${restarts}` };
}

function restartText(restarts: number): string {
  if (restarts === 0) return '';
  return `, ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
}
