import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, note } from '../../facts/evidence.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMisses } from '../../facts/volume/near-miss.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { confidenceOf, isSearching, remakeClaim } from './closest-volume.ts';

const graceSeconds = 30;

/** Nothing provisions for this class, and no volume of it exists to bind to. */
export const staticNoCandidatePv = claimRule({
  cause: 'static-no-candidate-pv',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    // class-empty-string explains an empty class name that was written down.
    if (!isSearching(c) || (c.class.name === '' && c.class.source !== 'none')) return undefined;
    const near = nearMissesOf(c);
    if (near.misses.length > 0 || near.fitting.length > 0) return undefined;
    const said = newestMatch(
      c.events.items,
      ['ProvisioningFailed', 'FailedBinding'],
      /no volume plugin matched name: kubernetes\.io\/no-provisioner|no persistent volumes available for this claim/,
    );
    // Where volumes cannot be read, one that is being bound right now looks the same as none.
    if (!near.complete && !said && c.ageSeconds < graceSeconds) return undefined;
    return {
      confidence: near.complete ? confidenceOf(c, near) : 'possible',
      about: c.class.name,
      summary: summaryOf(c, near),
      evidence: evidenceOf(c, near, said),
      fix: advise(c),
    };
  },
});

function wantedVolume({ name }: PresentClaim['class']): string {
  return name ? `volume of class ${name}` : 'volume without a class';
}

function summaryOf(c: PresentClaim, { complete }: NearMisses): string {
  const wanted = wantedVolume(c.class);
  if (!complete)
    return `only an existing ${wanted} can serve the claim, and none was taken; the volumes could not be read`;
  const why = c.class.name ? `class ${c.class.name} provisions nothing` : 'the claim has no class';
  return `${why}, so that only an existing volume can serve, and there is no ${wanted}`;
}

function evidenceOf(c: PresentClaim, { complete }: NearMisses, said: EventMatch | undefined): Explanation['evidence'] {
  const storageClass = c.storageClassObject;
  return [
    field(c.claim, 'spec.storageClassName'),
    ...(storageClass ? [field(storageClass, 'provisioner')] : []),
    ...(storageClass && complete ? [note(storageClass, 'no volume has this class')] : []),
    ...saidOnClaim(c, said),
  ];
}

function advise(c: PresentClaim): Fix[] {
  return [
    fix(
      `look which volumes there are, and make a ${wantedVolume(c.class)} of at least ${c.request ?? 'the size asked for'}: the claim then goes on by itself`,
      'kubectl get pv',
    ),
    remakeClaim(c, 'or delete the claim and make it again with a class that provisions'),
  ];
}
