import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { matchVolume, reservationOf } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';

/** lib provisionClaimOperation: if a volume with the name for this claim exists, the work counts as done. */
export const provisionPvNameTaken = claimRule({
  cause: 'provision-pv-name-taken',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const volume = volumeByName(c);
    if (!volume || canBeBound(c, volume)) return undefined;
    return {
      summary:
        `pv/${volume.metadata.name} exists and has the name that the provisioner gives to the volume of ` +
        `${claimText(c)}, but it ${ownerText(volume)}. ` +
        'The provisioner takes its work for done and creates no other.',
      evidence: [ownerEvidence(volume), field(c.claim, 'metadata.uid')],
      fix: advise(c, volume),
    };
  },
});

/** A recreated claim has a new uid, and so a volume of another name; the existing volume is left alone. */
function advise(c: PresentClaim, volume: Volume): Fix[] {
  return [
    recreateClaim(c, 'as it is', { spec: {} }, 'It gets a new uid, and so a new, empty volume of its own.'),
    ...(isUsed(c, volume) ? [] : [giveBack(c, volume)]),
  ];
}

/** Another claim that exists keeps its volume. */
function isUsed(c: PresentClaim, { spec, status }: Volume): boolean {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  if (status?.phase === 'Bound' && name === undefined) return true;
  return c.ask
    .seen('PersistentVolumeClaim')
    .some(({ metadata }) => metadata.namespace === namespace && metadata.name === name && metadata.uid === uid);
}

function giveBack(c: PresentClaim, volume: Volume): Fix {
  const { uid = '' } = c.claim.metadata;
  const claimRef = { kind: 'PersistentVolumeClaim', namespace: c.namespace, name: c.name, uid, resourceVersion: null };
  return steps(
    `If pv/${volume.metadata.name} holds the data of this claim, and no other claim needs it, reserve it for ` +
      'this claim again. The two are then bound.',
    [patchCommand(volume, { spec: { claimRef } })],
    'data-loss',
  );
}

function volumeByName(c: PresentClaim): Volume | undefined {
  const { uid } = c.claim.metadata;
  if (!uid) return undefined;
  const why = `whether the volume of pvc/${c.name} was made already`;
  const lookup = c.ask.get('PersistentVolume', undefined, `pvc-${uid}`, why);
  return lookup.state === 'found' ? lookup.object : undefined;
}

/** The volume is this claim's, or is free and fits: then the volume controller binds it. */
function canBeBound(c: PresentClaim, volume: Volume): boolean {
  const reservation = reservationOf(volume, c.claim);
  if (reservation === 'this') return true;
  return reservation === 'none' && matchVolume(volume, c.claim, { by: 'search' }).failed.length === 0;
}

function ownerText({ spec }: Volume): string {
  const reference = spec?.claimRef;
  return reference
    ? `belongs to pvc/${reference.name ?? ''} in namespace ${reference.namespace ?? ''}`
    : 'is not reserved for it and does not fit';
}

function ownerEvidence(volume: Volume): Evidence {
  const reference = volume.spec?.claimRef;
  if (!reference) return field(volume, 'spec.claimRef');
  const { namespace = '', name = '', uid = 'not set' } = reference;
  return field(volume, 'spec.claimRef', `${namespace}/${name} uid ${uid}`);
}
