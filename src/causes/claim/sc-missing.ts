import { nearestName } from '../../model/names.ts';
import { absent, eventSaid, field, fix, inNamespace } from '../../journey/evidence.ts';
import { newestMatch } from '../../graph/events.ts';
import { claimRule } from '../../journey/rule.ts';

/** pv_controller findProvisionablePlugin: the claim is retried for ever, and heals as soon as the class appears. */
export const scMissing = claimRule({
  cause: 'sc-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { name } = c.class;
    if (name === '' || c.storageClass?.state === 'found') return undefined;
    const said = newestMatch(c.events.items, 'ProvisioningFailed', /storageclass(?:es)?\.storage\.k8s\.io "([^"]+)" not found/i);
    // Without the right to read classes the controller's word is all there is.
    if (c.storageClass?.state === 'unknown' && said?.match[1] !== name) return undefined;
    const path = c.class.source === 'annotation' ? 'metadata.annotations[volume.beta.kubernetes.io/storage-class]' : 'spec.storageClassName';
    const known = c.ask.list('StorageClass').items.map((storageClass) => storageClass.metadata.name);
    const near = nearestName(name, known);
    return {
      confidence: c.storageClass?.state === 'missing' ? 'certain' : 'likely',
      about: name,
      summary: `class ${name} does not exist${near ? `; did you mean ${near}?` : known.length > 0 ? `; there are ${known.join(', ')}` : ' and there are no classes at all'}`,
      evidence: [field(c.claim, path, name), absent('StorageClass', name), ...(said ? [eventSaid(c.claim, said.event)] : [])],
      fix: [
        fix(`create class ${name}: the claim then goes on by itself`, 'kubectl get storageclass'),
        fix('or delete the claim and make it again with a class that exists: the class of a claim cannot be changed', `kubectl ${inNamespace(c.namespace)}delete pvc ${c.name}`, 'disruptive'),
      ],
    };
  },
});
