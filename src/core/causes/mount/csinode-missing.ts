import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Node } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { isRecent } from './plugin-health.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

const youngNodeSeconds = 60;

/** The kubelet creates the CSINode when it starts and fills it as drivers register (pkg/volume/csi initializeCSINode); the node may be Ready without it. */
const forSubjects = registrationRule('csinode-missing', 'blocking', (r) => {
  if (!isMissing(r)) return undefined;
  const node = r.nodeObject.state === 'found' ? r.nodeObject.object : undefined;
  const isProven = r.csiNode.state === 'missing';
  const proof = isProven ? [absent('CSINode', r.node)] : [];
  const [first = absent('CSINode', r.node), ...rest] = [...proof, ...r.errorEvidence];
  return {
    ...explainMissing(r.node, [first, ...rest, ...readyEvidence(node)]),
    confidence: isProven ? 'certain' : 'likely',
  };
});

/** Where the CSINode cannot be read, somebody has to say that it is missing. */
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
    return explainMissing(n.name, [absent('CSINode', n.name), ...readyEvidence(n.object)]);
  },
});

function explainMissing(node: string, evidence: Explanation['evidence']): Explanation {
  return {
    about: node,
    summary: `node ${node} has no CSINode object, so no volume can be attached or mounted there by any CSI driver`,
    evidence,
    fix: adviceFor(node),
  };
}

function readyEvidence(node: Node | undefined): Evidence[] {
  if (!node) return [];
  const ready = conditionOf(node.status?.conditions, 'Ready');
  const state = `${ready?.status ?? 'not set'}${ready?.message ? `: ${ready.message}` : ''}`;
  return [field(node, 'status.conditions[Ready]', state)];
}

function adviceFor(node: string): Fix[] {
  return [
    fix(
      `restart the kubelet of ${node}: only it makes the object, and for minutes it does not notice that the object is gone`,
      `kubectl get node,csinode ${shellWord(node)}`,
    ),
    fix(
      'then restart the node plugins there, so that each driver registers again',
      `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
      'disruptive',
    ),
  ];
}

export const csinodeMissing = {
  atMount: [...forSubjects.atMount.filter(({ on }) => on === 'pod'), forNode],
  atAttach: forSubjects.atAttach,
};
