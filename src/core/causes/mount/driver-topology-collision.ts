import { lists } from '../../facts/driver/node-plugin.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { Node } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { explainRefusal, findRefusal, topologyCollision } from './registration-refusal.ts';
import type { Refusal } from './registration-refusal.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

/** The kubelet never overwrites a topology label that has another value (nodeinfomanager updateTopologyLabels). */
export const driverTopologyCollision = registrationRule('driver-topology-collision', 'blocking', (r) => {
  const refusal = findRefusal(r);
  const collision = refusal && findCollision(r, refusal);
  if (!collision) return undefined;
  const { key, wanted } = collision;
  const what =
    wanted === undefined ? ', which the kubelet did not write' : ` with another value than the driver's ${wanted}`;
  return {
    ...explainRefusal(r, refusal, {
      what: `the node has label ${key} already${what}`,
      evidence: labelEvidence(r, key),
      fixes: [removeLabelFix(r.node, key)],
    }),
    confidence: wanted === undefined ? 'possible' : 'likely',
  };
});

interface Collision {
  readonly key: string;
  /** The value of the driver; undefined where the registrar's message does not tell and the label only looks foreign. */
  readonly wanted: string | undefined;
}

function findCollision(r: Registration, { text }: Refusal): Collision | undefined {
  const [, key, wanted] = topologyCollision.exec(text) ?? [];
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

function removeLabelFix(node: string, key: string): Fix {
  return fix(
    `remove the label and let the driver set it: pods and volumes that are bound to its old value are affected`,
    `kubectl label node ${shellWord(node)} ${shellWord(`${key}-`)}`,
    'disruptive',
  );
}
