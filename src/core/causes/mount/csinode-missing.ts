import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { Node } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { registrationRule } from './registration-rule.ts';
import { isRecent } from './plugin-health.ts';

const youngNodeSeconds = 60;

function explainMissing(
  node: string,
  object: Node | undefined,
  said: Evidence | undefined,
  isProven: boolean,
): Explanation {
  const ready = conditionOf(object?.status?.conditions, 'Ready');
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: node,
    summary: `node ${node} has no CSINode object, so no volume can be attached or mounted there by any CSI driver`,
    evidence: [
      ...(isProven || !said ? [absent('CSINode', node)] : []),
      ...(said ? [said] : []),
      ...(object
        ? [
            field(
              object,
              'status.conditions[Ready]',
              `${ready?.status ?? 'not set'}${ready?.message ? `: ${ready.message}` : ''}`,
            ),
          ]
        : []),
    ] as [Evidence, ...Evidence[]],
    fix: [
      fix(
        `restart the kubelet of ${node}: only it makes the object, and for minutes it does not notice that the object is gone`,
        `kubectl get node,csinode ${shellWord(node)}`,
      ),
      fix(
        'then restart the node plugins there, so that each driver registers again',
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
        'disruptive',
      ),
    ],
  };
}

/** pkg/volume/csi initializeCSINode: the kubelet makes it at start and fills it as drivers register; the node may well be Ready without it. */
const rules = registrationRule('csinode-missing', 'blocking', (r) => {
  const { csiNode, nodeObject, said } = r;
  if (csiNode.state === 'found' || (csiNode.state === 'unknown' && said?.what !== 'noCsiNode')) return undefined;
  const node = nodeObject.state === 'found' ? nodeObject.object : undefined;
  if (nodeObject.state === 'missing' || isRecent(node?.metadata.creationTimestamp, r.ask.now, youngNodeSeconds))
    return undefined;
  return explainMissing(r.node, node, said?.evidence, csiNode.state === 'missing');
});

const ofNode = objectRule('Node', {
  cause: 'csinode-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(n) {
    const csiNode = n.ask.get('CSINode', undefined, n.name, `which drivers are registered on ${n.name}`);
    return csiNode.state === 'missing' && n.ageSeconds >= youngNodeSeconds
      ? explainMissing(n.name, n.object, undefined, true)
      : undefined;
  },
});

export const csinodeMissing = {
  atMount: [...rules.atMount.filter(({ on }) => on === 'pod'), ofNode],
  atAttach: rules.atAttach,
};
