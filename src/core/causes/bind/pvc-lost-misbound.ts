import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { namesClaim } from '../../facts/volume/volume-match.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, saveCommand, steps } from '../lib/steps.ts';
import { hasLostVolume } from './lost-claim.ts';
import { giveBack } from './volume-taken.ts';
import { boundTwiceText } from '../lib/driver-error/sentences/volume-controller.ts';

/** pv_controller syncBoundClaim: a claim whose volume has the uid of another claim becomes Lost. */
export const pvcLostMisbound = claimRule({
  cause: 'pvc-lost-misbound',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!hasLostVolume(c) || c.volume?.state === 'missing') return undefined;
    const volume = c.volume?.state === 'found' ? c.volume.object : undefined;
    const said = newestMatch(c.events.items, 'ClaimMisbound', boundTwiceText);
    if (volume ? !belongsToAnother(volume, c) : !said) return undefined;
    return volume && namesClaim(volume, c.claim) ? explainNamesake(c, volume, said) : explainOther(c, volume, said);
  },
});

/** syncBoundClaim compares the uid alone. */
function belongsToAnother(volume: Volume, c: PresentClaim): boolean {
  const reference = volume.spec?.claimRef;
  return (
    reference !== undefined &&
    (reference.name !== undefined || reference.uid !== undefined) &&
    reference.uid !== c.claim.metadata.uid
  );
}

function explainOther(c: PresentClaim, volume: Volume | undefined, said: EventMatch | undefined): Explanation {
  return {
    confidence: volume ? 'certain' : 'likely',
    summary: `${claimText(c)} is Lost: pv/${c.volumeName} now belongs to ${holderText(volume)}.`,
    evidence: [...claimEvidence(c), ...(volume ? [field(volume, 'spec.claimRef.uid')] : []), ...saidOnClaim(c, said)],
    fix: adviseOther(c, volume),
  };
}

function holderText(volume: Volume | undefined): string {
  const reference = volume?.spec?.claimRef;
  if (!reference) return 'another claim';
  return `pvc/${reference.name ?? ''} in namespace ${reference.namespace ?? ''} (uid ${reference.uid ?? 'not set'})`;
}

function claimEvidence(c: PresentClaim): [Evidence, ...Evidence[]] {
  return [field(c.claim, 'status.phase'), field(c.claim, 'spec.volumeName'), field(c.claim, 'metadata.uid')];
}

/** The volume serves only the claim that its claimRef names; deleting a claim that it does not name leaves it alone. */
function adviseOther(c: PresentClaim, volume: Volume | undefined): Fix[] {
  const owner = volume ? holderText(volume) : 'the other claim';
  return [
    steps(
      `If the data belongs to ${owner}, recreate this claim without volumeName, so that it gets a volume of ` +
        `its own. pv/${c.volumeName} and its data are not touched.`,
      recreateCommands(c.claim, { spec: { volumeName: null } }),
    ),
    ...(volume ? [takeBack(c, volume)] : []),
  ];
}

function takeBack(c: PresentClaim, volume: Volume): Fix {
  const claimRef = { namespace: c.namespace, name: c.name, uid: c.claim.metadata.uid ?? null, resourceVersion: null };
  return steps(
    `If the data belongs to pvc/${c.name}, stop the pods of ${holderText(volume)} and give the volume back ` +
      'to this claim. The other claim is then Lost.',
    [
      patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
      saveCommand(volume),
      patchCommand(volume, { spec: { claimRef } }),
    ],
    'data-loss',
  );
}

/**
 * Only one claim exists: it was recreated or restored together with its bind-completed annotation, and has a new uid.
 */
function explainNamesake(c: PresentClaim, volume: Volume, said: EventMatch | undefined): Explanation {
  return {
    summary:
      `${claimText(c)} is Lost: pv/${volume.metadata.name} ${namesakeText(volume)}. ` +
      'A claim that was bound once gets its volume back only if the claimRef has its own uid.',
    evidence: [
      ...claimEvidence(c),
      field(volume, 'spec.claimRef.uid'),
      field(volume, 'status.phase'),
      field(volume, 'spec.persistentVolumeReclaimPolicy'),
      ...saidOnClaim(c, said),
    ],
    fix: giveBack(volume, c.claim),
  };
}

function namesakeText(volume: Volume): string {
  const { uid } = volume.spec?.claimRef ?? {};
  return uid
    ? `is still held for an earlier claim of the same name (uid ${uid}), and this one was recreated or restored`
    : 'is reserved for it by name alone';
}
