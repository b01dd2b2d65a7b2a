import type { Volume } from '../../kube/kinds.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { namesClaim } from '../../facts/volume/volume-match.ts';
import { giveBack } from './volume-taken.ts';

/** A claim that was bound once and is so no more; the controller finds out at its next sync (pv_controller syncBoundClaim). */
function hasLost(c: PresentClaim): boolean {
  return c.isLost || (!c.isBound && c.wasBound);
}

export const pvcLostVolumeNameCleared = claimRule({
  cause: 'pvc-lost-volumename-cleared',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!hasLost(c) || c.volumeName !== '') return undefined;
    const said = newestMatch(c.events.items, 'ClaimLost', /lost reference to PersistentVolume/);
    const [volume] = c.ask
      .seen('PersistentVolume')
      .filter(({ spec }) => c.claim.metadata.uid !== undefined && spec?.claimRef?.uid === c.claim.metadata.uid);
    return {
      summary: `pvc/${c.name} was bound, and its volumeName has been emptied since${volume ? `; it was volume ${volume.metadata.name}` : ''}`,
      evidence: [
        field(c.claim, 'spec.volumeName'),
        field(c.claim, 'status.phase'),
        ...(volume ? [field(volume, 'spec.claimRef.uid')] : []),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        volume
          ? fix(
              'write the name of the volume back into the claim, which is allowed while it is empty',
              `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type merge -p ${shellWord(JSON.stringify({ spec: { volumeName: volume.metadata.name } }))}`,
            )
          : fix(
              "look for the volume whose CLAIM is this one, and write its name back into the claim's spec.volumeName, which is allowed while it is empty",
              `kubectl get pv | grep ${shellWord(`${c.namespace}/${c.name}`)}`,
            ),
      ],
    };
  },
});

export const pvcLostPvDeleted = claimRule({
  cause: 'pvc-lost-pv-deleted',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!hasLost(c) || !c.volume || c.volume.state === 'found') return undefined;
    const said = newestMatch(c.events.items, 'ClaimLost', /has lost its PersistentVolume/);
    const isMissing = c.volume.state === 'missing';
    // Who may not read volumes has only the phase, and of three ways to get lost this is the usual one.
    if (!isMissing && (!c.isLost || newestMatch(c.events.items, 'ClaimMisbound', /./))) return undefined;
    return {
      confidence: isMissing ? 'certain' : said ? 'likely' : 'possible',
      summary: `pvc/${c.name} was bound to volume ${c.volumeName}, which ${isMissing || said ? 'no longer exists' : 'has probably been deleted'}`,
      evidence: [
        field(c.claim, 'status.phase'),
        field(c.claim, 'spec.volumeName'),
        ...(isMissing ? [absent('PersistentVolume', c.volumeName)] : []),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          `look whether the storage behind it still exists; if so, make volume ${c.volumeName} again with the same handle and no claimRef, or this claim's: it is then bound again by itself`,
          'kubectl get pv',
        ),
        fix(
          'data-loss: otherwise restore from a backup into a new claim, and delete this one',
          `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
          'data-loss',
        ),
      ],
    };
  },
});

export const pvcLostMisbound = claimRule({
  cause: 'pvc-lost-misbound',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!hasLost(c) || c.volume?.state === 'missing') return undefined;
    const volume = c.volume?.state === 'found' ? c.volume.object : undefined;
    const said = newestMatch(c.events.items, 'ClaimMisbound', /bound to the same volume/);
    if (volume ? !isAnothers(volume, c) : !said) return undefined;
    if (volume && namesClaim(volume, c.claim)) return explainNamesake(c, volume, said);
    const reference = volume?.spec?.claimRef;
    const holder = reference
      ? `claim ${reference.namespace ?? ''}/${reference.name ?? ''} (uid ${reference.uid ?? 'not set'})`
      : 'another claim';
    return {
      confidence: volume ? 'certain' : 'likely',
      summary: `volume ${c.volumeName || 'of the claim'} now belongs to ${holder}, so pvc/${c.name} has lost it`,
      evidence: [
        field(c.claim, 'status.phase'),
        field(c.claim, 'spec.volumeName'),
        field(c.claim, 'metadata.uid'),
        ...(volume ? [field(volume, 'spec.claimRef.uid')] : []),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          'find out which of the two claims owns the data; the volume serves only the one that its claimRef names',
          volume ? `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml` : 'kubectl get pv',
        ),
        fix(
          'then delete this claim and make it again with a volume of its own',
          `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
          'disruptive',
        ),
      ],
    };
  },
});

/** There is one claim only: it was made again, or restored, with all that says that it was bound, and its uid is a new one. */
function explainNamesake(c: PresentClaim, volume: Volume, said: EventMatch | undefined): Explanation {
  const { uid } = volume.spec?.claimRef ?? {};
  const holder = uid
    ? `is still held for an earlier claim of the same name (uid ${uid}): pvc/${c.name} was made again or restored, and a claim that says that it was bound`
    : `is reserved for pvc/${c.name} by name alone, and a claim that was bound once`;
  return {
    summary: `volume ${volume.metadata.name} ${holder} gets its volume back only when the claimRef has its own uid`,
    evidence: [
      field(c.claim, 'status.phase'),
      field(c.claim, 'spec.volumeName'),
      field(c.claim, 'metadata.uid'),
      field(volume, 'spec.claimRef.uid'),
      field(volume, 'status.phase'),
      field(volume, 'spec.persistentVolumeReclaimPolicy'),
      ...(said ? [eventSaid(c.claim, said.event)] : []),
    ],
    fix: giveBack(volume, c.claim),
  };
}

/** syncBoundClaim compares the uid alone. */
function isAnothers(volume: Volume, c: PresentClaim): boolean {
  const reference = volume.spec?.claimRef;
  return (
    reference !== undefined &&
    (reference.name !== undefined || reference.uid !== undefined) &&
    reference.uid !== c.claim.metadata.uid
  );
}
