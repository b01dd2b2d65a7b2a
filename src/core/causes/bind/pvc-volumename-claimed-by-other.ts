import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { chooseVolume, namesClaim, reservationOf } from '../../facts/volume/volume-match.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { ownerText } from './closest-volume.ts';
import { claimRefField } from './reserved-volume.ts';
import { takeOver } from './volume-taken.ts';
import { boundToOtherText } from '../lib/driver-error/sentences/volume-controller.ts';

/** pv_controller syncUnboundClaim: the controller waits, and reports it, until the volume is free. */
export const pvcVolumeNameClaimedByOther = claimRule({
  cause: 'pvc-volumename-claimed-by-other',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!c.namesVolume || !c.volume || c.volume.state === 'missing') return undefined;
    const said = newestMatch(c.events.items, 'FailedBinding', boundToOtherText);
    const volume = c.volume.state === 'found' ? c.volume.object : undefined;
    if (volume ? !isTaken(c, volume) : !said) return undefined;
    return {
      confidence: volume ? 'certain' : 'likely',
      summary: `${claimText(c)} names pv/${c.volumeName}, which ${holderText(volume)}.`,
      evidence: [
        field(c.claim, 'spec.volumeName'),
        ...(volume ? [claimRefField(volume), field(volume, 'status.phase')] : []),
        ...saidOnClaim(c, said),
      ],
      fix: advise(c, volume),
    };
  },
});

/** Held for a claim of another name; an earlier claim of the same name is pv-released-stale-claimref. */
function isTaken(c: PresentClaim, volume: Volume): boolean {
  return reservationOf(volume, c.claim) === 'other' && !namesClaim(volume, c.claim);
}

function isReleased(volume: Volume | undefined): boolean {
  return volume?.status?.phase === 'Released';
}

function holderText(volume: Volume | undefined): string {
  const owner = volume?.spec?.claimRef ? ownerText(volume) : 'another claim';
  return isReleased(volume) ? `is Released and still held for ${owner}, which is gone` : `belongs to ${owner}`;
}

function advise(c: PresentClaim, volume: Volume | undefined): Fix[] {
  // A claim that names a volume which a deleted claim left most likely needs its data.
  return volume && isReleased(volume) ? [takeOver(c, volume), useAnother(c, volume)] : [useAnother(c, volume)];
}

/** A free volume that fits, or a new one where the class provisions; otherwise a person has to name one. */
function useAnother(c: PresentClaim, taken: Volume | undefined): Fix {
  const free = chooseVolume(c.ask.seen('PersistentVolume'), c.claim, { by: 'search' })?.metadata.name;
  if (free !== undefined)
    return recreateClaim(
      c,
      `with volumeName ${free}, which is free and fits`,
      { spec: { volumeName: free } },
      bindsSoon,
    );
  if (c.provisioner !== undefined)
    return recreateClaim(
      c,
      `without volumeName, so that StorageClass "${c.class.name}" provisions a new, empty volume`,
      { spec: { volumeName: null } },
    );
  const name = `${c.namespace}-${c.name}`;
  const { commands = [] } = recreateClaim(c, '', { spec: { volumeName: name } });
  const create = createVolumeFix(
    c,
    `Create another volume, pv/${name}, and recreate the claim with its name: its spec cannot be changed, ` +
      'and it was never bound, so it holds no data.',
    taken,
  );
  return steps(create.text, [create.command ?? '', ...commands]);
}

const bindsSoon = 'It then binds within 15 seconds.';
