import { newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../journey/evidence.ts';
import { nameAll } from '../../journey/pod-placement.ts';
import { claimRule } from '../../journey/rule.ts';
import { missEvidence, nearMissesOf } from '../../journey/near-miss.ts';
import { defaultClassOf, noProvisioner } from '../../journey/storage-class.ts';
import { almostDefaults } from './class-default-annotation-malformed.ts';

/** The event is a Normal one, and the same for an empty class name. */
export const noClassText = /no persistent volumes available for this claim and no storage class is set/i;

const mostShown = 3;

/** Neither the claim nor the cluster says which class (pv_controller syncUnboundClaim): it waits for either, or for a volume without a class. */
export const classNilNoDefault = claimRule({
  cause: 'class-nil-no-default',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    if (c.class.source !== 'none' || c.isBound || c.isLost || c.volumeName !== '') return undefined;
    const said = newestMatch(c.events.items, 'FailedBinding', noClassText);
    // A volume that comes with the claim may need a moment to become available.
    if (!said && c.ageSeconds < 30) return undefined;
    const classes = c.ask.list('StorageClass', undefined, 'whether there is a default class');
    if (defaultClassOf(classes.items)) return undefined;
    const volumes = nearMissesOf(c);
    const proven = classes.complete && volumes.complete;
    const [meant] = almostDefaults(classes.items);
    const candidate = meant?.storageClass ?? classes.items.find(({ provisioner }) => provisioner !== noProvisioner) ?? classes.items[0];
    const known = classes.items.map(({ metadata }) => metadata.name);
    const which = meant ? `; ${meant.storageClass.metadata.name} is not one, since ${meant.words}` : known.length > 0 ? ` among ${nameAll(known)}` : '';
    return {
      confidence: proven ? 'certain' : said || classes.complete ? 'likely' : 'possible',
      about: 'no default class',
      summary: said || classes.complete ? `the claim names no class, and the cluster has no default class${which}` : 'the claim names no class, and none was filled in: most likely the cluster has no default class',
      evidence: [
        field(c.claim, 'spec.storageClassName', 'not set'),
        ...classes.items.slice(0, mostShown).map((storageClass) => note(storageClass, 'not the default class')),
        // A volume without a class could still serve it: why each of them does not.
        ...missEvidence(volumes.misses.filter(({ failed }) => !failed.includes('claimed')), c.claim),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        candidate
          ? fix(`make one class the default, such as ${candidate.metadata.name}: the claim then gets it by itself (Kubernetes 1.26 and later)`, `kubectl annotate storageclass ${shellWord(candidate.metadata.name)} storageclass.kubernetes.io/is-default-class=true --overwrite`)
          : fix('look which classes there are, and make one the default: the claim then gets it by itself (Kubernetes 1.26 and later)', 'kubectl get storageclass'),
        fix('or delete the claim and make it again with a class (of a StatefulSet: in its template)', `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`, 'disruptive'),
      ],
    };
  },
});
