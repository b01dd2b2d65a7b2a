import { lists } from '../../facts/driver/node-plugin.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { refusedRegistrar } from '../../facts/driver/plugin-health.ts';
import { fitsAffinity } from '../../facts/volume/volume-reach.ts';
import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { explainRefusal, findRefusal, lastWordsOf, restartCommand } from './registration-refusal.ts';
import type { Refusal } from './registration-refusal.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';
import { topologyCollisionText } from '../lib/driver-error/sentences/registration.ts';

/** The kubelet never overwrites a topology label that has another value (nodeinfomanager updateTopologyLabels). */
export const driverTopologyCollision = registrationRule('driver-topology-collision', 'blocking', (r) => {
  const refusal = findRefusal(r);
  const collision = refusal && findCollision(r, refusal);
  if (!collision) return undefined;
  const { key } = collision;
  return {
    ...explainRefusal(r, refusal, {
      what: clashText(r, collision),
      evidence: [...labelEvidence(r, key), ...agreeingLabels(r, collision)],
      decisive: topologyCollisionText,
      fixes: fixesFor(r, collision),
    }),
    confidence: collision.wanted === undefined ? 'possible' : 'likely',
  };
});

function clashText(r: Registration, collision: Collision): string {
  const others = othersRefused(r, collision);
  const rest = others.length === 0 ? '' : ` (the same holds for ${others.join(', ')})`;
  return `${labelClash(r, collision)}${rest}`;
}

function labelClash(r: Registration, { key, wanted }: Collision): string {
  if (wanted === undefined) return `the node already has label ${key}, which the kubelet did not write`;
  if (valueOf(r, key) === '')
    return `the node already has label ${key} with an empty value, and the driver reports "${wanted}"`;
  return `the node already has label ${key} with another value than the driver reports (${wanted})`;
}

interface Collision {
  readonly key: string;
  /**
   * The value of the driver; undefined if the registrar's message does not contain it and the label only looks foreign.
   */
  readonly wanted: string | undefined;
}

function findCollision(r: Registration, { text }: Refusal): Collision | undefined {
  const [, key, wanted] = topologyCollisionText.exec(text) ?? [];
  if (key !== undefined) return { key, wanted };
  const foreign = r.nodeObject.state === 'found' ? findForeignLabel(r, r.nodeObject.object) : undefined;
  return foreign === undefined ? undefined : { key: foreign, wanted: undefined };
}

/** A label under a topology key of the driver that something other than a kubelet wrote. */
function findForeignLabel(r: Registration, node: Node): string | undefined {
  const keys = r.ask
    .seen('CSINode')
    .filter((csiNode) => lists(csiNode, r.driver))
    .flatMap(({ spec }) => spec?.drivers?.find(({ name }) => name === r.driver)?.topologyKeys ?? []);
  const writers = (node.metadata.managedFields ?? []).filter(
    ({ manager }) => manager !== undefined && manager !== 'kubelet',
  );
  return keys.find(
    (key) =>
      node.metadata.labels?.[key] !== undefined &&
      !/(^|\.)kubernetes\.io\//.test(key) &&
      writers.some(({ fieldsV1 }) => JSON.stringify(fieldsV1 ?? null).includes(`"f:${key}"`)),
  );
}

function labelEvidence({ nodeObject }: Registration, key: string): Evidence[] {
  if (nodeObject.state !== 'found') return [];
  return [field(nodeObject.object, `metadata.labels[${key}]`, nodeObject.object.metadata.labels?.[key])];
}

function valueOf({ nodeObject }: Registration, key: string): string | undefined {
  return nodeObject.state === 'found' ? nodeObject.object.metadata.labels?.[key] : undefined;
}

/** The zone or region that the cloud gave the node is the one that the driver reports. */
function agreeingLabels({ nodeObject }: Registration, { key, wanted }: Collision): Evidence[] {
  if (nodeObject.state !== 'found' || wanted === undefined) return [];
  const { object } = nodeObject;
  return ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']
    .filter((label) => label !== key && object.metadata.labels?.[label] === wanted)
    .map((label) => field(object, `metadata.labels[${label}]`, wanted));
}

function fixesFor(r: Registration, collision: Collision): Fix[] {
  if (kubeletLabels.has(collision.key)) return keepLabelFixes(r, collision);
  const pinned = volumesPinnedTo(r, collision);
  // An empty value is no place: nothing can rightly report it.
  const isStale = pinned.length === 0 && valueOf(r, collision.key) === '';
  if (isStale || (pinned.length === 0 && agreeingLabels(r, collision).length > 0))
    return [dropStaleLabelFix(r, collision)];
  return [...undoFix(r, collision, pinned), removeLabelFix(r, collision.key)];
}

/**
 * kubelet_node_status.go updateDefaultLabels: the kubelet sets these itself. Selectors and local volumes rely on them,
 * so the driver has to fit the label.
 */
const kubeletLabels = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'node.kubernetes.io/instance-type',
]);

function keepLabelFixes(r: Registration, { key, wanted }: Collision): Fix[] {
  const value = valueOf(r, key);
  const image = r.pod?.spec?.containers?.find(({ name }) => name !== refusedRegistrarName(r))?.image;
  const upgrade = steps(
    `Upgrade ${r.driver}${image === undefined ? '' : ` (it runs ${image})`} to a release whose node plugin reports a ` +
      `topology key of its own, or set it to report ${key}=${value ?? 'the value of the node'} on ${r.node}. Then ` +
      `restart the plugin there: it registers within a minute. Leave the label as it is: it is the kubelet's own.`,
    [restartCommand(r)],
    'disruptive',
  );
  const isMachineName =
    key === 'kubernetes.io/hostname' && wanted !== undefined && value !== undefined && wanted !== value;
  if (!isMachineName || isWindows(r.nodeObject.state === 'found' ? r.nodeObject.object : undefined)) return [upgrade];
  return [
    upgrade,
    steps(
      `Or, if ${wanted} is the host name of the machine and the driver takes it from there, give the machine the name ` +
        `${value} and restart the node plugin. Delete the debug pod afterwards.`,
      [onNode(r.node, `hostnamectl set-hostname ${shellWord(value)}`), restartCommand(r)],
      'disruptive',
    ),
  ];
}

function refusedRegistrarName(r: Registration): string | undefined {
  return r.pod && refusedRegistrar(r.pod, r.ask.now)?.name;
}

/** Other nodes whose registrar of the same node plugin ended with the same clash. */
function othersRefused(r: Registration, { key }: Collision): string[] {
  const owner = r.pod && ownerOf(r.pod);
  if (!owner) return [];
  const names = r.ask.seen('Pod').flatMap((pod) => {
    const node = pod.spec?.nodeName;
    const isSister =
      node !== undefined &&
      node !== r.node &&
      pod.metadata.namespace === r.pod?.metadata.namespace &&
      ownerOf(pod)?.kind === owner.kind &&
      ownerOf(pod)?.name === owner.name;
    const status = isSister ? refusedRegistrar(pod, r.ask.now) : undefined;
    return status && topologyCollisionText.exec(lastWordsOf(status) ?? '')?.[1] === key ? [node ?? ''] : [];
  });
  return [...new Set(names)].sort();
}

/** Volumes that could be used on the node at the old value, and not at the one that the driver reports. */
function volumesPinnedTo({ ask, driver, nodeObject }: Registration, { key, wanted }: Collision): Volume[] {
  if (nodeObject.state !== 'found') return [];
  const { object } = nodeObject;
  const value = object.metadata.labels?.[key];
  const { [key]: _, ...others } = object.metadata.labels ?? {};
  const at = (place: string | undefined): Node => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...others, ...(place !== undefined && { [key]: place }) } },
  });
  return ask
    .seen('PersistentVolume')
    .filter((volume) => volume.spec?.csi?.driver === driver)
    .filter((volume) => fitsAffinity(volume, at(value)) && !fitsAffinity(volume, at(wanted)));
}

/** Their affinity cannot be changed, so the driver has to report the old value again. */
function undoFix(r: Registration, { key }: Collision, pinned: readonly Volume[]): Fix[] {
  const { node, pod } = r;
  const value = valueOf(r, key);
  const owner = pod && ownerOf(pod);
  const [first] = pinned;
  if (!value || owner?.kind !== 'DaemonSet' || !first) return [];
  const others = pinned.length > 1 ? ` and ${pinned.length - 1} more` : '';
  return [
    steps(
      `Let the driver report ${key}=${value} again, where pv/${first.metadata.name}${others} can be used: ` +
        'undo the last rollout of its node plugin, or correct the settings that the value comes from. ' +
        `It then registers on ${node} again.`,
      [`kubectl ${inNamespace(pod?.metadata.namespace)}rollout undo daemonset ${shellWord(owner.name)}`],
      'disruptive',
    ),
  ];
}

/** Restarting the plugin alone does not help: the label has to go first. */
function dropStaleLabelFix(r: Registration, { key, wanted = 'its own value' }: Collision): Fix {
  return steps(
    `Remove the stale label from ${r.node} and restart the node plugin there: no volume that was read can be used ` +
      `only at the old value. The driver then registers within a minute, and the kubelet writes ${key}=${wanted}; ` +
      'volumes are attached within about 5 minutes.',
    removeCommands(r, key),
    'disruptive',
  );
}

function removeLabelFix(r: Registration, key: string): Fix {
  return steps(
    `If the driver's value is the right one, remove the label from ${r.node} and restart the node plugin: ` +
      'the kubelet writes the label again. ' +
      'Volumes that exist for the old value can no longer be used there; ' +
      `if the old value is right, correct the driver's settings instead.`,
    removeCommands(r, key),
    'disruptive',
  );
}

function removeCommands(r: Registration, key: string): string[] {
  return [`kubectl label node ${shellWord(r.node)} ${shellWord(`${key}-`)}`, restartCommand(r)];
}
