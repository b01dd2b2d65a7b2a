import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { hasLostVolume } from './lost-claim.ts';

/** pv_controller syncBoundClaim: a claim with the bind-completed annotation and no volumeName becomes Lost. */
export const pvcLostVolumeNameCleared = claimRule({
  cause: 'pvc-lost-volumename-cleared',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!hasLostVolume(c) || c.volumeName !== '') return undefined;
    const said = newestMatch(c.events.items, 'ClaimLost', /lost reference to PersistentVolume/);
    const volume = formerVolume(c);
    return {
      summary: `pvc/${c.name} was bound, and its volumeName has been emptied since${volume ? `; it was volume ${volume.metadata.name}` : ''}`,
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
  const patch = JSON.stringify({ spec: { volumeName: volume.metadata.name } });
  return fix(
    'write the name of the volume back into the claim, which is allowed while it is empty',
    `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type merge -p ${shellWord(patch)}`,
  );
}

function findVolume(c: PresentClaim): Fix {
  return fix(
    "look for the volume whose CLAIM is this one, and write its name back into the claim's spec.volumeName, which is allowed while it is empty",
    `kubectl get pv | grep ${shellWord(`${c.namespace}/${c.name}`)}`,
  );
}
