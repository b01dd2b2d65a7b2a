import type { Pod } from '../../model/kinds.ts';
import { nearestName } from '../../model/names.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../journey/evidence.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../journey/claim-case.ts';
import { conditionOf } from '../../journey/pod-state.ts';
import { nameAll } from '../../journey/pod-placement.ts';
import { claimRule } from '../../journey/rule.ts';
import { storageTexts } from '../../journey/scheduling-message.ts';
import { betaClassAnnotation } from '../../journey/storage-class.ts';

/** pv_controller findProvisionablePlugin: the claim is retried for ever, and heals as soon as the class appears. */
export const scMissing = claimRule({
  cause: 'sc-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { name } = c.class;
    if (name === '' || c.isBound || c.isLost || c.storageClass?.state === 'found') return undefined;
    const said = newestMatch(c.events.items, 'ProvisioningFailed', /storageclass(?:es)?(?:\.storage\.k8s\.io)? "([^"]+)" not found/i);
    const isTold = said?.match[1] === name;
    // Without the right to read classes the controller's word is all there is.
    const isProven = c.storageClass?.state === 'missing';
    if (!isProven && !isTold && !looksImmediate(c)) return undefined;
    const path = c.class.source === 'annotation' ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName';
    const classes = c.ask.list('StorageClass', undefined, 'which classes there are');
    const known = classes.items.map((storageClass) => storageClass.metadata.name);
    const near = c.ask.graph.remember(`class like ${name}`, () => nearestName(name, known));
    const others = near ? `; did you mean ${near}?` : known.length > 0 ? `; there are ${nameAll(known)}` : classes.complete ? ' and there are no classes at all' : '';
    return {
      confidence: isProven ? 'certain' : isTold ? 'likely' : 'possible',
      about: name,
      summary: `class ${name} does not exist${others}`,
      evidence: [field(c.claim, path, name), ...(isProven ? [absent('StorageClass', name)] : []), ...(isTold && said ? [eventSaid(c.claim, said.event)] : [])],
      fix: [
        fix(`look which classes there are; if ${name} is meant, create it: the claim then goes on by itself`, 'kubectl get storageclass'),
        fix('or delete the claim and make it again with a class that exists: the class of a claim cannot be changed (of a StatefulSet: change its template as well)', `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`, 'disruptive'),
      ],
    };
  },
});

/**
 * A missing class counts as Immediate, and a class that exists and is Immediate would have left its provisioner's
 * name on the claim: a weak sign, for a dump that holds neither classes nor events. Where events can be read the
 * controller would say it, again and again; and another claim of the pod may be the one that is meant.
 */
function looksImmediate(c: PresentClaim): boolean {
  if (c.askedProvisioner !== undefined || c.selectedNode !== undefined || c.ageSeconds < 120 || c.events.complete) return false;
  return c.consumers.items.some((pod) => saysUnbound(pod) && claimNamesOf(pod).every((name) => name === c.name || isBoundClaim(c, name)));
}

function saysUnbound(pod: Pod): boolean {
  return storageTexts.unboundImmediate.test(conditionOf(pod.status?.conditions, 'PodScheduled')?.message ?? '');
}

function isBoundClaim(c: PresentClaim, name: string): boolean {
  const sibling = c.ask.get('PersistentVolumeClaim', c.namespace, name, `whether pvc/${name} is bound`);
  return sibling.state === 'found' && sibling.object.status?.phase === 'Bound';
}
