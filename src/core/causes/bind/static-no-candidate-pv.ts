import { newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, note } from '../../facts/evidence.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import { claimRule } from '../lib/rule.ts';
import { confidenceOf, isSearching, remakeClaim } from './closest-volume.ts';

const graceSeconds = 30;

/** Nothing provisions for this class, and there is no volume of it to bind to. */
export const staticNoCandidatePv = claimRule({
  cause: 'static-no-candidate-pv',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    // An empty class name that was written down is a cause of its own.
    if (!isSearching(c) || (c.class.name === '' && c.class.source !== 'none')) return undefined;
    const { misses, fitting, complete } = nearMissesOf(c);
    if (misses.length > 0 || fitting.length > 0) return undefined;
    const { name } = c.class;
    const said = newestMatch(
      c.events.items,
      ['ProvisioningFailed', 'FailedBinding'],
      /no volume plugin matched name: kubernetes\.io\/no-provisioner|no persistent volumes available for this claim/,
    );
    // Who sees no volumes cannot tell one that is being bound from none.
    if (!complete && !said && c.ageSeconds < graceSeconds) return undefined;
    const volumes = name ? `volume of class ${name}` : 'volume without a class';
    const storageClass = c.storageClassObject;
    return {
      confidence: complete ? confidenceOf(c, complete) : 'possible',
      about: name,
      summary: complete
        ? `${name ? `class ${name} provisions nothing` : 'the claim has no class'}, so that only an existing volume can serve, and there is no ${volumes}`
        : `only an existing ${volumes} can serve the claim, and none was taken; the volumes could not be read`,
      evidence: [
        field(c.claim, 'spec.storageClassName'),
        ...(storageClass
          ? [field(storageClass, 'provisioner'), ...(complete ? [note(storageClass, 'no volume has this class')] : [])]
          : []),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          `look which volumes there are, and make a ${volumes} of at least ${c.request ?? 'the size asked for'}: the claim then goes on by itself`,
          'kubectl get pv',
        ),
        remakeClaim(c, 'or delete the claim and make it again with a class that provisions'),
      ],
    };
  },
});
