import type { Controller } from '../../facts/driver/controller.ts';
import { lists } from '../../facts/driver/node-plugin.ts';
import type { NodePlugin } from '../../facts/driver/node-plugin.ts';
import { refOf } from '../../graph/inquiry.ts';
import { isCrashing, whyNotRunning } from '../../facts/pod/pod-health.ts';
import { conditionOf, containerStatusesOf, isReady } from '../../facts/pod/pod-state.ts';
import type { Pod } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { LinkRole, LinkState, TraceLink } from '../../report/trace.ts';
import type { Place, VolumeCast } from './cast.ts';

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
  const limit = csiNode.object.spec?.drivers?.find(({ name }) => name === driver)?.allocatable?.count;
  const isListed = lists(csiNode.object, driver);
  return [
    {
      role: 'registration',
      object: refOf(csiNode.object),
      state: isListed ? 'ok' : 'missing',
      summary: isListed
        ? `${driver} is registered${limit === undefined ? '' : `, at most ${limit} volumes`}`
        : `${driver} is not registered`,
    },
  ];
}

function pluginLink({ plugin, node }: Place, driver: string | undefined, now: number): TraceLink[] {
  if (!plugin || driver === undefined) return [];
  return workerLinks('nodePlugin', plugin.pods.items, now) ?? [{ role: 'nodePlugin', ...absentPlugin(plugin, node) }];
}

function absentPlugin({ pods, sets }: NodePlugin, node: string): Pick<TraceLink, 'state' | 'summary' | 'object'> {
  const [set] = sets.items;
  if (set && pods.complete) return { object: refOf(set), state: 'missing', summary: `has no pod on ${node}` };
  // A plugin may run outside of pods: then only the registration tells.
  return {
    state: 'unknown',
    summary: pods.complete ? `no pod of it was found on ${node}` : 'its pods could not be read',
  };
}

export function driverLink({ driver, driverObject }: VolumeCast): TraceLink[] {
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

/** A controller shows itself by its lease and by its pods; either may be out of sight. */
export function controllerLinks(role: LinkRole, controller: Controller, now: number): TraceLink[] {
  const lease = leaseText(controller, now);
  const links = workerLinks(role, controller.pods.items, now, lease && `lease ${controller.lease.name} ${lease}`);
  const isStale = controller.lease.state === 'stale';
  if (links) return links.map((link) => (isStale && link.state === 'ok' ? { ...link, state: 'failed' } : link));
  const { workload } = controller;
  const object = workload
    ? { kind: workload.kind, namespace: workload.namespace, name: workload.name }
    : controller.lease.object && refOf(controller.lease.object);
  const isZero = workload?.object?.spec?.replicas === 0;
  const state: LinkState = isZero || isStale ? 'failed' : controller.lease.state === 'fresh' ? 'ok' : 'unknown';
  // A sidecar without leader election, or outside of the cluster, leaves neither.
  const isUnseen = controller.pods.complete && controller.lease.state === 'missing';
  const pods = isZero
    ? 'scaled to zero'
    : workload
      ? 'has no pods'
      : isUnseen
        ? 'neither a pod nor a lease of it was found'
        : '';
  const held = workload && lease ? `lease ${controller.lease.name} ${lease}` : lease;
  return [
    {
      role,
      ...(object && { object }),
      state,
      summary: [pods, held].filter(Boolean).join('; ') || 'its lease and pods could not be read',
    },
  ];
}

function leaseText({ lease }: Controller, now: number): string {
  if (!lease.object) return '';
  const { holderIdentity, renewTime } = lease.object.spec ?? {};
  const renewed = parseTime(renewTime);
  const since =
    renewed === undefined
      ? ''
      : lease.state === 'stale'
        ? `, not renewed for ${ageText(renewed, now)}`
        : ', renewed in time';
  return `${lease.state === 'stale' && holderIdentity ? 'last ' : ''}held by ${holderIdentity || 'nobody'}${since}`;
}

const mostWorkers = 3;

/** The pods of a controller or a node plugin; undefined where there is none. */
function workerLinks(role: LinkRole, pods: readonly Pod[], now: number, lease = ''): TraceLink[] | undefined {
  if (pods.length === 0) return undefined;
  return pods.slice(0, mostWorkers).map((pod, index): TraceLink => {
    const crashing = containerStatusesOf(pod).find((status) => isCrashing(status, now));
    const restarts = containerStatusesOf(pod).reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
    const state: LinkState = crashing ? 'failed' : isReady(pod) ? 'ok' : 'failed';
    const health = crashing
      ? `container ${crashing.name ?? ''} keeps crashing`
      : isReady(pod)
        ? 'ready'
        : whyNotRunning(pod);
    const more =
      index === mostWorkers - 1 && pods.length > mostWorkers ? [`and ${pods.length - mostWorkers} more pods`] : [];
    const notes = [...(index === 0 && lease ? [lease] : []), ...more];
    return {
      role,
      object: refOf(pod),
      state,
      summary: `${health}${restarts > 0 ? `, ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}` : ''}`,
      ...(notes.length > 0 && { notes }),
    };
  });
}
