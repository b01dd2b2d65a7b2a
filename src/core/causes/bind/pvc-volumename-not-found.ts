import { nearestName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field } from '../../facts/evidence.ts';
import { reservationOf } from '../../facts/volume/volume-match.ts';
import { csiSource, volumeManifest } from '../lib/create-volume.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { createCommand, steps } from '../lib/steps.ts';

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
    summary: `${claimText(c)} names pv/${c.volumeName}, which does not exist.${near ? ` The closest match is pv/${near}.` : ''}`,
    evidence: [field(c.claim, 'spec.volumeName'), absent('PersistentVolume', c.volumeName)],
    fix: advise(c, near),
  };
}

function explainSilence(c: PresentClaim): Explanation {
  return {
    confidence: 'possible',
    summary:
      `${claimText(c)} names pv/${c.volumeName}, and the volume controller reports nothing about it, as it ` +
      'does if the volume does not exist. The volumes could not be read.',
    evidence: [field(c.claim, 'spec.volumeName')],
    fix: advise(c, nearVolume(c)),
  };
}

/** A volume of nearly that name which the claim may have. */
function nearVolume(c: PresentClaim): string | undefined {
  return nearestName(
    c.volumeName,
    c.ask
      .seen('PersistentVolume')
      .filter((volume) => reservationOf(volume, c.claim) !== 'other')
      .map(({ metadata }) => metadata.name),
  );
}

/** An empty volume comes last: the data that the claim needs may be on the missing one. */
function advise(c: PresentClaim, near: string | undefined): Fix[] {
  const { source, words } = csiSource(c.provisioner);
  const create = steps(
    `Create pv/${c.volumeName} for the disk that is meant. ${words} The claim binds to it within 15 seconds.`,
    [createCommand(volumeManifest(c, c.volumeName, source))],
  );
  if (near !== undefined) return [recreateClaim(c, `with volumeName ${near}`, { spec: { volumeName: near } }), create];
  return [create, ...provisionNew(c)];
}

function provisionNew(c: PresentClaim): Fix[] {
  if (c.provisioner === undefined) return [];
  const how = `without volumeName, so that StorageClass "${c.class.name}" provisions a new, empty volume`;
  return [recreateClaim(c, how, { spec: { volumeName: null } })];
}
