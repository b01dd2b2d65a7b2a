import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { hasLostVolume } from './lost-claim.ts';
import { volumeNameLostText } from '../lib/driver-error/sentences/volume-controller.ts';

/** pv_controller syncBoundClaim: a claim with the bind-completed annotation and no volumeName becomes Lost. */
export const pvcLostVolumeNameCleared = claimRule({
  cause: 'pvc-lost-volumename-cleared',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!hasLostVolume(c) || c.volumeName !== '') return undefined;
    const said = newestMatch(c.events.items, 'ClaimLost', volumeNameLostText);
    const volume = formerVolume(c);
    return {
      summary:
        `${claimText(c)} is Lost: it was bound, and its spec.volumeName has been removed ` +
        `since.${volume ? ` Its volume was pv/${volume.metadata.name}, which still names it.` : ''}`,
      evidence: [
        field(c.claim, 'spec.volumeName'),
        field(c.claim, 'status.phase'),
        ...(volume ? [field(volume, 'spec.claimRef.uid')] : []),
        ...saidOnClaim(c, said),
      ],
      fix: [volume ? writeNameBack(c, volume) : findVolume(c)],
    };
  },
});

/** The volume still names the claim by its uid. */
function formerVolume(c: PresentClaim): Volume | undefined {
  const { uid } = c.claim.metadata;
  return c.ask.seen('PersistentVolume').find(({ spec }) => uid !== undefined && spec?.claimRef?.uid === uid);
}

function writeNameBack(c: PresentClaim, volume: Volume): Fix {
  return steps(
    `Write pv/${volume.metadata.name} back into the claim, which is allowed while volumeName is empty. ` +
      'The two are bound again within 15 seconds, data included.',
    [patchCommand(c.claim, { spec: { volumeName: volume.metadata.name } })],
  );
}

function findVolume(c: PresentClaim): Fix {
  return steps(
    `Find the volume whose claimRef has uid ${c.claim.metadata.uid ?? 'of this claim'}, and write its name ` +
      '(PLACEHOLDER_VOLUME) back into the claim, which is allowed while volumeName is empty. ' +
      'The two are bound again within 15 seconds.',
    [
      'kubectl get pv -o custom-columns=NAME:.metadata.name,CLAIM:.spec.claimRef.name,UID:.spec.claimRef.uid | ' +
        `grep -F -- ${shellWord(c.claim.metadata.uid ?? c.name)}`,
      patchCommand(c.claim, { spec: { volumeName: 'PLACEHOLDER_VOLUME' } }),
    ],
  );
}
