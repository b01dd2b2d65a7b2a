import { lists } from '../../facts/driver/node-plugin.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Node } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';
import { explainRefusal, findRefusal, restartCommand } from './registration-refusal.ts';
import type { Refusal } from './registration-refusal.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';
import { topologyCollisionText } from '../lib/driver-error/sentences/registration.ts';

/** The kubelet never overwrites a topology label that has another value (nodeinfomanager updateTopologyLabels). */
export const driverTopologyCollision = registrationRule('driver-topology-collision', 'blocking', (r) => {
  const refusal = findRefusal(r);
  const collision = refusal && findCollision(r, refusal);
  if (!collision) return undefined;
  const { key, wanted } = collision;
  const what =
    wanted === undefined
      ? ', which the kubelet did not write'
      : ` with another value than the driver reports (${wanted})`;
  return {
    ...explainRefusal(r, refusal, {
      what: `the node already has label ${key}${what}`,
      evidence: labelEvidence(r, key),
      decisive: topologyCollisionText,
      fixes: [...undoFix(r, key), removeLabelFix(r, key)],
    }),
    confidence: wanted === undefined ? 'possible' : 'likely',
  };
});

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

/**
 * Where volumes of the driver can only be used at the old value, the driver has to report that again: their affinity
 * cannot be changed.
 */
function undoFix({ ask, driver, node, nodeObject, pod }: Registration, key: string): Fix[] {
  const value = nodeObject.state === 'found' ? nodeObject.object.metadata.labels?.[key] : undefined;
  const owner = pod && ownerOf(pod);
  if (value === undefined || owner?.kind !== 'DaemonSet') return [];
  const bound = ask
    .seen('PersistentVolume')
    .filter(({ spec }) => spec?.csi?.driver === driver && needsValue(spec.nodeAffinity, key, value));
  const [first] = bound;
  if (!first) return [];
  const others = bound.length > 1 ? ` and ${bound.length - 1} more` : '';
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

function needsValue(affinity: unknown, key: string, value: string): boolean {
  const text = JSON.stringify(affinity ?? null);
  return text.includes(JSON.stringify(key)) && text.includes(JSON.stringify(value));
}

/** Restarting the plugin alone does not help: the label has to go first. */
function removeLabelFix(r: Registration, key: string): Fix {
  return steps(
    `If the driver's value is the right one, remove the label from ${r.node} and restart the node plugin: ` +
      'the kubelet writes the label again. ' +
      'Volumes that exist for the old value can no longer be used there; ' +
      `if the old value is right, correct the driver's settings instead.`,
    [`kubectl label node ${shellWord(r.node)} ${shellWord(`${key}-`)}`, restartCommand(r)],
    'disruptive',
  );
}
