import type { Controller } from '../../facts/driver/controller.ts';
import { conditionOf, containerStatusesOf } from '../../facts/pod/pod-state.ts';
import type { Pod, StorageClass } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { RelatedObjects } from './related-objects.ts';
import { kubeletOn, unknownComponent, nodeController, snapshotController } from './components.ts';
import type { Fact } from './fact.ts';
import { createdFact, factAt, labelOf } from './object-facts.ts';
import type { Place } from './places.ts';
import { containerFacts } from './pod-facts.ts';

/**
 * What happened to the components that serve the volume: leaders, driver pods, nodes, the class. The caller keeps what
 * falls into the time of the trace.
 */
export function surroundingFacts(related: RelatedObjects): (Fact | undefined)[] {
  const facts: (Fact | undefined)[] = [];
  for (const volume of related.volumes) {
    const storageClass = volume.claim?.storageClassObject;
    if (storageClass) facts.push(classFact(storageClass));
    for (const controller of volume.controllers)
      facts.push(...controllerFacts(controller, controller.role, related.ask.now));
    for (const place of volume.places) facts.push(...placeFacts(place));
  }
  if (related.snapshotController)
    facts.push(...controllerFacts(related.snapshotController, snapshotController, related.ask.now));
  if (related.snapshotter)
    facts.push(...controllerFacts(related.snapshotter, related.snapshotter.role, related.ask.now));
  const snapshotClass = related.snapshot?.snapshotClass;
  if (snapshotClass) facts.push(createdFact(snapshotClass, { what: `${labelOf(snapshotClass)} was created` }));
  return facts;
}

function classFact(storageClass: StorageClass): Fact | undefined {
  return createdFact(storageClass, { what: `${labelOf(storageClass)} was created` });
}

function controllerFacts({ lease, pods }: Controller, component: string, now: number): (Fact | undefined)[] {
  return [...leaseFacts(lease, component, now), ...pods.items.flatMap(driverPodFacts)];
}

function leaseFacts({ object, state }: Controller['lease'], component: string, now: number): (Fact | undefined)[] {
  if (!object) return [];
  const { holderIdentity = 'an unknown holder', acquireTime, renewTime, leaseTransitions = 0 } = object.spec ?? {};
  const renewed = parseTime(renewTime);
  return [
    factAt(object, acquireTime, {
      key: `leader/${object.metadata.name}/acquired`,
      component,
      what: `${holderIdentity} took the lead${leaseTransitions > 0 ? ` (change ${leaseTransitions} of the leader)` : ''}`,
      source: 'spec.acquireTime',
    }),
    state === 'stale' && renewed !== undefined
      ? factAt(object, renewed, {
          key: `leader/${object.metadata.name}/renewed`,
          component,
          what: `${holderIdentity} renewed lease ${object.metadata.name} for the last time, ${ageText(renewed, now)} ago`,
          isTrouble: true,
          source: 'spec.renewTime',
        })
      : undefined,
  ];
}

/** Containers of a pod that started together are one fact; each restarted one is its own. */
function driverPodFacts(pod: Pod): (Fact | undefined)[] {
  const statuses = containerStatusesOf(pod);
  const together = Map.groupBy(statuses, ({ state, restartCount = 0, name }) =>
    restartCount > 0 ? `restarted ${name ?? ''}` : (state?.running?.startedAt ?? name),
  );
  return [...together.values()].flatMap(([first, ...others]) => {
    if (!first || others.length === 0 || !first.state?.running)
      return [first, ...others].flatMap((status) => (status ? containerFacts(pod, status) : []));
    const names = [first, ...others].map(({ name = '' }) => name);
    return [
      factAt(pod, first.state.running.startedAt, {
        key: `started/${pod.metadata.name}/${names.join(',')}`,
        component: kubeletOn(pod.spec?.nodeName),
        what: `started ${names.length} containers of ${labelOf(pod)}: ${names.join(', ')}`,
        source: 'state.running.startedAt',
      }),
    ];
  });
}

function placeFacts({ nodeObject, csiNode, plugin }: Place): (Fact | undefined)[] {
  const facts: (Fact | undefined)[] = (plugin?.pods.items ?? []).flatMap(driverPodFacts);
  if (csiNode?.state === 'found')
    facts.push(
      createdFact(csiNode.object, {
        what: `${labelOf(csiNode.object)} was created`,
        by: kubeletOn(csiNode.object.metadata.name),
      }),
    );
  if (nodeObject.state !== 'found') return facts;
  const node = nodeObject.object;
  const ready = conditionOf(node.status?.conditions, 'Ready');
  const isReady = ready?.status === 'True';
  facts.push(
    factAt(node, ready?.lastTransitionTime, {
      key: `node-ready/${node.metadata.name}`,
      component: isReady ? kubeletOn(node.metadata.name) : nodeController,
      what: `${labelOf(node)} became ${isReady ? 'ready' : 'not ready'}`,
      source: 'status.conditions[Ready].lastTransitionTime',
      ...(!isReady && { isTrouble: true }),
      ...(ready?.message && !isReady && { said: ready.message }),
    }),
  );
  for (const taint of node.spec?.taints ?? [])
    facts.push(
      factAt(node, taint.timeAdded, {
        key: `taint/${node.metadata.name}/${taint.key ?? ''}`,
        component:
          taint.key === 'node.kubernetes.io/unreachable' || taint.key === 'node.kubernetes.io/not-ready'
            ? nodeController
            : unknownComponent,
        what: `tainted ${labelOf(node)} with ${taint.key ?? ''}:${taint.effect ?? ''}`,
        isTrouble: true,
        source: 'spec.taints.timeAdded',
      }),
    );
  return facts;
}
