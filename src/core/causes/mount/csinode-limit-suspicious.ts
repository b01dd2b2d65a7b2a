import { lists } from '../../facts/driver/node-plugin.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import { objectRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { restartPlugin } from './plugin-fixes.ts';
import type { Explanation } from '../lib/rule.ts';
import { findCsiNode, registeredDrivers } from './csinode.ts';
import type { NodeWithCsiNode } from './csinode.ts';

/**
 * The scheduler plugin NodeVolumeLimits reads a missing count as "no limit", and a count that is too high lets it
 * overfill the node.
 */
export const csinodeLimitSuspicious = objectRule('Node', {
  cause: 'csinode-limit-suspicious',
  stage: 'mount',
  severity: 'warning',
  explain(n) {
    const found = findCsiNode(n.ask, n.name);
    if (!found) return undefined;
    for (const driver of registeredDrivers(found.csiNode)) {
      const explanation = explainMissingLimit(found, driver) ?? explainReachedLimit(found, driver);
      if (explanation) return explanation;
    }
    return undefined;
  },
});

const pathOf = (driver: string): string => `spec.drivers[${driver}].allocatable.count`;

function limitOf({ spec }: CsiNode, driver: string): number | undefined {
  return spec?.drivers?.find(({ name }) => name === driver)?.allocatable?.count;
}

/** Every other node with the driver states a limit. */
function explainMissingLimit({ ask, csiNode, node }: NodeWithCsiNode, driver: string): Explanation | undefined {
  const { name } = node.metadata;
  const peers = ask
    .list('CSINode', undefined, `how many volumes of ${driver} the other nodes may hold`)
    .items.filter((other) => other.metadata.name !== name && lists(other, driver));
  const limit = limitOf(csiNode, driver);
  const isOutlier = (limit ?? 0) <= 0 && peers.every((peer) => (limitOf(peer, driver) ?? 0) > 0);
  if (peers.length < 2 || !isOutlier) return undefined;
  return {
    about: `${driver}/${name}`,
    summary:
      `${driver} reports ${limit === undefined ? 'no volume limit' : `a volume limit of ${limit}`} for ` +
      `${name}, unlike for its other nodes. The scheduler may place too many volumes there.`,
    evidence: [
      field(csiNode, pathOf(driver), limit),
      ...peers.slice(0, 2).map((peer) => field(peer, pathOf(driver), limitOf(peer, driver))),
    ],
    fix: [
      restartPlugin(
        ask,
        driver,
        name,
        `Correct the attach limit in the settings of ${driver} if it differs for this node, and restart its node ` +
          `plugin on ${name}: it reports the limit when it registers.`,
      ),
    ],
  };
}

function explainReachedLimit({ ask, csiNode, node }: NodeWithCsiNode, driver: string): Explanation | undefined {
  const { name } = node.metadata;
  const limit = limitOf(csiNode, driver);
  if (limit === undefined || limit <= 0) return undefined;
  const held = ask
    .list('VolumeAttachment', undefined, `how many volumes of ${driver} ${name} holds`)
    .items.filter(({ spec }) => spec?.attacher === driver && spec.nodeName === name).length;
  if (held < limit) return undefined;
  return {
    about: `${driver}/${name}`,
    summary: `${held} of ${limit} volume slots of ${driver} are used on ${name}. No more volumes fit there.`,
    evidence: [field(csiNode, pathOf(driver), limit), field(node, 'attachments', held)],
    fix: [
      steps(`Add a node, or keep new pods with volumes off ${name}: cordoning it sends them elsewhere.`, [
        `kubectl cordon ${shellWord(name)}`,
      ]),
      steps(`If the machine can hold more, correct the attach limit in the settings of ${driver}.`, []),
    ],
  };
}
