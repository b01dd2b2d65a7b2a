import { lists } from '../../facts/driver/node-plugin.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { findCsiNode, findCsiNodeOfPod, registeredDrivers } from './csinode.ts';
import type { NodeWithCsiNode } from './csinode.ts';
import { driversOfPod } from './needed-drivers.ts';

const cause = 'csidriver-object-missing';
const severity = 'warning';

/** A driver that is registered on the node works without a CSIDriver object, but with the defaults of its fields. */
function findDriverWithoutObject({ ask, csiNode }: NodeWithCsiNode, drivers: readonly string[]): string | undefined {
  return drivers
    .filter((name) => lists(csiNode, name))
    .find((name) => ask.get('CSIDriver', undefined, name, `how ${name} wants its volumes handled`).state === 'missing');
}

function explainMissingObject(found: NodeWithCsiNode, drivers: readonly string[]): Explanation | undefined {
  const driver = findDriverWithoutObject(found, drivers);
  if (driver === undefined) return undefined;
  return {
    about: driver,
    summary:
      `Driver ${driver} has no CSIDriver object, so the defaults apply: ` +
      'volumes must be attached, inline volumes are not supported, and the driver gets no pod information.',
    evidence: [
      absent('CSIDriver', driver),
      field(found.csiNode, 'spec.drivers', registeredDrivers(found.csiNode).join(', ')),
    ],
    fix: [steps(`Create CSIDriver ${driver} again from the manifests of the driver's release.`, [])],
  };
}

function explainPod(p: PodCase): Explanation | undefined {
  const found = findCsiNodeOfPod(p);
  return found && explainMissingObject(found, driversOfPod(p));
}

export const csidriverObjectMissing = {
  atMount: [
    objectRule('Node', {
      cause,
      stage: 'mount',
      severity,
      explain(n) {
        const found = findCsiNode(n.ask, n.name);
        return found && explainMissingObject(found, registeredDrivers(found.csiNode));
      },
    }),
    podRule({ cause, stage: 'mount', severity, explain: explainPod }),
  ],
  atAttach: [podRule({ cause, stage: 'attach', severity, explain: explainPod })],
};
