import { nearestName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { remakeClaim } from './closest-volume.ts';

const refusals = /VolumeMismatch|FailedBinding/;
const graceSeconds = 60;

/** pv_controller syncUnboundClaim reports nothing while the named volume does not exist. */
export const pvcVolumeNameNotFound = claimRule({
  cause: 'pvc-volumename-not-found',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!c.namesVolume || !c.volume || c.volume.state === 'found') return undefined;
    if (c.volume.state === 'missing') return explainMissing(c);
    return isControllerSilent(c) ? explainSilence(c) : undefined;
  },
});

/** If the volume existed and did not fit, the controller would report it every few seconds. */
function isControllerSilent(c: PresentClaim): boolean {
  return (
    c.ageSeconds >= graceSeconds &&
    c.events.complete &&
    !c.events.items.some((event) => refusals.test(event.reason ?? ''))
  );
}

function explainMissing(c: PresentClaim): Explanation {
  const near = nearVolume(c);
  return {
    confidence: 'certain',
    summary: `pvc/${c.name} names volume ${c.volumeName}, which does not exist${near ? `; did you mean ${near}?` : ''}`,
    evidence: [field(c.claim, 'spec.volumeName'), absent('PersistentVolume', c.volumeName)],
    fix: advise(c, near),
  };
}

function explainSilence(c: PresentClaim): Explanation {
  return {
    confidence: 'possible',
    summary: `pvc/${c.name} names volume ${c.volumeName}, and the controller says nothing about it, as it does when the volume does not exist`,
    evidence: [field(c.claim, 'spec.volumeName')],
    fix: advise(c, nearVolume(c)),
  };
}

function nearVolume(c: PresentClaim): string | undefined {
  return nearestName(
    c.volumeName,
    c.ask.seen('PersistentVolume').map(({ metadata }) => metadata.name),
  );
}

function advise(c: PresentClaim, near: string | undefined): Fix[] {
  return [
    fix(
      `look which volumes there are, and make volume ${c.volumeName}: the claim then goes on by itself`,
      'kubectl get pv',
    ),
    remakeClaim(c, `or delete the claim and make it again ${near ? `with volumeName ${near}` : 'without volumeName'}`),
  ];
}
