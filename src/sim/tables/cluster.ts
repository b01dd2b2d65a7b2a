import { entriesAt, listAt, numberAt, textAt, valueAt } from '../fields.ts';
import { age, agoOf, containerColumns, createdAt, field, integer, name, selectorText, text, wide } from './column.ts';
import type { Column } from './column.ts';
import { podColumns } from './pod.ts';

const selector = wide(text('Selector', (object) => selectorText(object, 'spec', 'selector')));
const count = (title: string, path: readonly string[]): Column => integer(title, (object) => numberAt(object, ...path));
const webhooks = [name, integer('Webhooks', (object) => listAt(object, 'webhooks').length), age];

/** The columns of nodes, workloads, events and the rest, as the server prints them. */
export const clusterColumns: Readonly<Record<string, readonly Column[]>> = {
  Pod: podColumns,
  Node: [
    name,
    text('Status', nodeStatus),
    text('Roles', nodeRoles),
    age,
    field('Version', ['status', 'nodeInfo', 'kubeletVersion']),
    wide(text('Internal-IP', (node) => addressOf(node, 'InternalIP'))),
    wide(text('External-IP', (node) => addressOf(node, 'ExternalIP'))),
    wide(field('OS-Image', ['status', 'nodeInfo', 'osImage'], '<unknown>')),
    wide(field('Kernel-Version', ['status', 'nodeInfo', 'kernelVersion'], '<unknown>')),
    wide(field('Container-Runtime', ['status', 'nodeInfo', 'containerRuntimeVersion'], '<unknown>')),
  ],
  Namespace: [name, field('Status', ['status', 'phase']), age],
  Event: [
    text('Last Seen', (event, now) => agoOf(lastSeen(event), now)),
    field('Type', ['type']),
    field('Reason', ['reason']),
    text(
      'Object',
      (event) => `${textAt(event, 'involvedObject', 'kind').toLowerCase()}/${textAt(event, 'involvedObject', 'name')}`,
    ),
    wide(field('Subobject', ['involvedObject', 'fieldPath'])),
    wide(text('Source', eventSource)),
    text('Message', (event) => textAt(event, 'message').trim()),
    wide(
      text('First Seen', (event, now) => agoOf(valueAt(event, 'firstTimestamp') ?? valueAt(event, 'eventTime'), now)),
    ),
    wide(integer('Count', (event) => numberAt(event, 'series', 'count') || numberAt(event, 'count') || 1)),
    wide(name),
  ],
  Lease: [name, field('Holder', ['spec', 'holderIdentity']), age],
  LimitRange: [name, createdAt],
  CustomResourceDefinition: [name, createdAt],
  Secret: [name, field('Type', ['type']), integer('Data', () => 0), age],
  ConfigMap: [name, integer('Data', () => 0), age],
  StatefulSet: [
    name,
    text('Ready', (set) => `${numberAt(set, 'status', 'readyReplicas')}/${numberAt(set, 'spec', 'replicas')}`),
    age,
    ...containerColumns,
  ],
  Deployment: [
    name,
    text(
      'Ready',
      (deployment) => `${numberAt(deployment, 'status', 'readyReplicas')}/${numberAt(deployment, 'spec', 'replicas')}`,
    ),
    count('Up-to-date', ['status', 'updatedReplicas']),
    count('Available', ['status', 'availableReplicas']),
    age,
    ...containerColumns,
    selector,
  ],
  ReplicaSet: [
    name,
    count('Desired', ['spec', 'replicas']),
    count('Current', ['status', 'replicas']),
    count('Ready', ['status', 'readyReplicas']),
    age,
    ...containerColumns,
    selector,
  ],
  DaemonSet: [
    name,
    count('Desired', ['status', 'desiredNumberScheduled']),
    count('Current', ['status', 'currentNumberScheduled']),
    count('Ready', ['status', 'numberReady']),
    count('Up-to-date', ['status', 'updatedNumberScheduled']),
    count('Available', ['status', 'numberAvailable']),
    text(
      'Node Selector',
      (set) =>
        entriesAt(set, 'spec', 'template', 'spec', 'nodeSelector')
          .map(([key, value]) => `${key}=${String(value)}`)
          .join(',') || '<none>',
    ),
    age,
    ...containerColumns,
    selector,
  ],
  MutatingWebhookConfiguration: webhooks,
  ValidatingWebhookConfiguration: webhooks,
};

function nodeStatus(node: unknown): string {
  const ready = listAt(node, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
  const known = textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  const word = ready === undefined ? 'Unknown' : known;
  return valueAt(node, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

function nodeRoles(node: unknown): string {
  const roles = entriesAt(node, 'metadata', 'labels').flatMap(([key, value]) => {
    if (key.startsWith('node-role.kubernetes.io/')) return [key.slice('node-role.kubernetes.io/'.length)];
    return key === 'kubernetes.io/role' ? [String(value)] : [];
  });
  return (
    roles
      .filter((role) => role !== '')
      .sort()
      .join(',') || '<none>'
  );
}

function addressOf(node: unknown, type: string): string {
  const address = listAt(node, 'status', 'addresses').find((candidate) => textAt(candidate, 'type') === type);
  return textAt(address, 'address') || '<none>';
}

function lastSeen(event: unknown): unknown {
  return valueAt(event, 'series', 'lastObservedTime') ?? valueAt(event, 'lastTimestamp') ?? valueAt(event, 'eventTime');
}

function eventSource(event: unknown): string {
  const component = textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
  return [component, textAt(event, 'source', 'host') || textAt(event, 'reportingInstance')]
    .filter((part) => part !== '')
    .join(', ');
}
