import { lists } from '../../facts/driver/node-plugin.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { findCsiNode, registeredDrivers } from './csinode.ts';
import type { NodeWithCsiNode } from './csinode.ts';

/**
 * The scheduler plugin NodeVolumeLimits takes a missing count for "no limit", and a count that is too high lets it
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
    summary: `${driver} states ${limit === undefined ? 'no limit' : `a limit of ${limit}`} of volumes for ${name}, unlike its other nodes`,
    evidence: [
      field(csiNode, pathOf(driver), limit),
      ...peers.slice(0, 2).map((peer) => field(peer, pathOf(driver), limitOf(peer, driver))),
    ],
    fix: [
      fix(
        `check the attach limit in the configuration of ${driver}, and restart its pod on ${name}`,
        `kubectl get csinode ${shellWord(name)} -o yaml`,
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
    summary: `${name} holds ${held} of at most ${limit} volumes of ${driver}: it can take no more`,
    evidence: [field(csiNode, pathOf(driver), limit), field(node, 'attachments', held)],
    fix: [
      fix(
        'move pods with volumes to other nodes, or add a node',
        `kubectl get volumeattachments -o wide | grep -w ${shellWord(name)}`,
      ),
      fix(`if the machine could hold more, correct the attach limit of ${driver}`),
    ],
  };
}
