import { absent, field, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Node } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { isRecent } from '../../facts/driver/plugin-health.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

const youngNodeSeconds = 60;

/**
 * The kubelet creates the CSINode when it starts and fills it as drivers register (pkg/volume/csi initializeCSINode);
 * the node may be Ready without it.
 */
const forSubjects = registrationRule('csinode-missing', 'blocking', (r) => {
  if (!isMissing(r)) return undefined;
  const node = r.nodeObject.state === 'found' ? r.nodeObject.object : undefined;
  const isProven = r.csiNode.state === 'missing';
  const proof = isProven ? [absent('CSINode', r.node)] : [];
  const [first = absent('CSINode', r.node), ...rest] = [...proof, ...r.errorEvidence];
  return {
    ...explainMissing(r.node, node, [first, ...rest, ...readyEvidence(node)]),
    confidence: isProven ? 'certain' : 'likely',
  };
});

/** If the CSINode cannot be read, an event has to report that it is missing. */
function isMissing({ ask, csiNode, nodeObject, error }: Registration): boolean {
  if (csiNode.state === 'found' || (csiNode.state === 'unknown' && error?.kind !== 'noCsiNode')) return false;
  if (nodeObject.state === 'missing') return false;
  const node = nodeObject.state === 'found' ? nodeObject.object : undefined;
  return !isRecent(node?.metadata.creationTimestamp, ask.now, youngNodeSeconds);
}

const forNode = objectRule('Node', {
  cause: 'csinode-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(n) {
    const csiNode = n.ask.get('CSINode', undefined, n.name, `which drivers are registered on ${n.name}`);
    if (csiNode.state !== 'missing' || n.ageSeconds < youngNodeSeconds) return undefined;
    return explainMissing(n.name, n.object, [absent('CSINode', n.name), ...readyEvidence(n.object)]);
  },
});

function explainMissing(node: string, object: Node | undefined, evidence: Explanation['evidence']): Explanation {
  return {
    about: node,
    summary:
      `Node ${node} has no CSINode object, so no CSI volume can be attached or mounted there. ` +
      'Its kubelet has not created the object.',
    evidence,
    fix: [adviceFor(node, object)],
  };
}

function readyEvidence(node: Node | undefined): Evidence[] {
  if (!node) return [];
  const ready = conditionOf(node.status?.conditions, 'Ready');
  const state = `${ready?.status ?? 'not set'}${ready?.message ? `: ${ready.message}` : ''}`;
  return [field(node, 'status.conditions[Ready]', state)];
}

/** Containers keep running while the kubelet restarts. */
function adviceFor(node: string, object: Node | undefined): Fix {
  const text = `Restart the kubelet of ${node}: it then creates the object, and the drivers register from their sockets`;
  if (isWindows(object))
    return steps(`Replace or restart it there. ${text} (Restart-Service kubelet; it runs Windows).`, [], 'disruptive');
  return steps(
    `${text}. Containers keep running. The second line says whether a driver is still missing. Delete the debug pod afterwards.`,
    [onNode(node, 'systemctl restart kubelet'), `kubectl csi why node/${shellWord(node)}`],
    'disruptive',
  );
}

export const csinodeMissing = {
  atMount: [...forSubjects.atMount.filter(({ on }) => on === 'pod'), forNode],
  atAttach: forSubjects.atAttach,
};
