import { nearestName } from '../../model/names.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../journey/evidence.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../journey/claim-case.ts';
import { conditionOf } from '../../journey/pod-state.ts';
import { claimRule } from '../../journey/rule.ts';
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
    const near = nearestName(name, known);
    const others = near ? `; did you mean ${near}?` : known.length > 0 ? `; there are ${known.join(', ')}` : classes.complete ? ' and there are no classes at all' : '';
    return {
      confidence: isProven ? 'certain' : isTold ? 'likely' : 'possible',
      about: name,
      summary: `class ${name} does not exist${others}`,
      evidence: [field(c.claim, path, name), ...(isProven ? [absent('StorageClass', name)] : []), ...(isTold && said ? [eventSaid(c.claim, said.event)] : [])],
      fix: [
        fix(`create class ${name}: the claim then goes on by itself`, 'kubectl get storageclass'),
        fix('or delete the claim and make it again with a class that exists: the class of a claim cannot be changed (of a StatefulSet: change its template as well)', `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`, 'disruptive'),
      ],
    };
  },
});

/**
 * A missing class counts as Immediate, and a class that exists and is Immediate would have left its provisioner's
 * name on the claim: a weak sign, for a dump that holds neither classes nor events.
 */
function looksImmediate(c: PresentClaim): boolean {
  if (c.askedProvisioner !== undefined || c.selectedNode !== undefined || c.ageSeconds < 120) return false;
  return c.consumers.items.some((pod) => /unbound immediate PersistentVolumeClaims/i.test(conditionOf(pod.status?.conditions, 'PodScheduled')?.message ?? ''));
}
