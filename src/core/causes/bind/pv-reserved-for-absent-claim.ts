import { nearestName } from '../../kube/names.ts';
import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Fix, Risk } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { claimRule, objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { closestMiss, confidenceOf, ownerText } from './closest-volume.ts';

const cause = 'pv-reserved-for-absent-claim';

/** pv_controller syncVolume leaves a volume alone whose claimRef has no uid: it waits for that claim forever. */
export const pvReservedForAbsentClaim = claimRule({
  cause,
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const closest = closestMiss(c);
    if (!closest) return undefined;
    if (closest.reason === 'absentOwner') return explainClosest(c, closest);
    const meant = nearMissesOf(c).misses.find(({ reason, volume }) => reason === 'absentOwner' && isNear(volume, c));
    return meant && explainMeant(c, meant);
  },
});

/** The reservation names this claim in another namespace, or nearly this claim. */
function isNear(volume: Volume, c: PresentClaim): boolean {
  const { name = '', namespace = '' } = volume.spec?.claimRef ?? {};
  return name === c.name || (namespace === c.namespace && nearestName(c.name, [name]) !== undefined);
}

/** The closest volume of the search is the reserved one. */
function explainClosest(c: PresentClaim, miss: NearMiss): Explanation {
  return explainMisses(c, miss, 'blocking', nearMissesOf(c).misses);
}

/** Another volume comes closer, but this one was probably reserved for the claim. */
function explainMeant(c: PresentClaim, miss: NearMiss): Explanation {
  return explainMisses(c, miss, 'warning', [miss]);
}

function explainMisses(
  c: PresentClaim,
  { volume }: NearMiss,
  severity: 'blocking' | 'warning',
  shown: readonly NearMiss[],
): Explanation {
  const { name, namespace } = volume.spec?.claimRef ?? {};
  const missing = absent('PersistentVolumeClaim', name ?? '', namespace);
  const [first, ...rest] = [...missEvidence(shown, c.claim), missing];
  const hint = isNear(volume, c) ? ` It was probably meant for ${claimText(c)}.` : '';
  return {
    severity,
    confidence: confidenceOf(c, nearMissesOf(c)),
    summary: `pv/${volume.metadata.name} is reserved for ${ownerText(volume)}, which does not exist.${hint}`,
    evidence: [first ?? missing, ...rest],
    fix: adviseClaim(c, volume),
  };
}

/** A reservation for a claim of quite another name is not touched first: that claim may be created later. */
function adviseClaim(c: PresentClaim, volume: Volume): Fix[] {
  if (isNear(volume, c)) return [reserveFor(volume, c.claim, 'safe')];
  return [createVolumeFix(c, 'Create another volume for the claim.', volume), reserveFor(volume, c.claim, 'data-loss')];
}

/** The same for the volume itself. The claim may be created later, so it is a warning only. */
export const volumeReservedForAbsentClaim = objectRule('PersistentVolume', {
  cause,
  stage: 'bind',
  severity: 'warning',
  explain(v) {
    const { namespace, name } = reservationIn(v) ?? {};
    if (namespace === undefined || name === undefined) return undefined;
    const why = `whether pvc/${name}, for which pv/${v.name} is reserved, exists`;
    if (v.ask.get('PersistentVolumeClaim', namespace, name, why).state !== 'missing') return undefined;
    const meant = claimMeant(v.ask.seen('PersistentVolumeClaim'), namespace, name);
    return {
      summary:
        `pv/${v.name} is reserved for pvc/${name} in namespace ${namespace}, which does not ` +
        `exist.${meant ? ` It was probably meant for ${nameOf(meant)}.` : ' No other claim can use it until that claim is created.'}`,
      evidence: [
        field(v.object, 'spec.claimRef', `${namespace}/${name}`),
        absent('PersistentVolumeClaim', name, namespace),
        ...(meant ? [field(meant, 'status.phase')] : []),
      ],
      fix: adviseVolume(v, meant),
    };
  },
});

/** The claim that an available volume is reserved for by name alone. */
function reservationIn(
  v: ObjectCase<'PersistentVolume'>,
): { readonly namespace: string; readonly name: string } | undefined {
  const { namespace, name, uid } = v.object.spec?.claimRef ?? {};
  const isWaiting = v.object.status?.phase === 'Available' && !v.isTerminating;
  return isWaiting && namespace !== undefined && name && !uid ? { namespace, name } : undefined;
}

/**
 * Of the claims read already that still look for a volume, one of the same name in another namespace, or of nearly that
 * name in this one.
 */
function claimMeant(claims: readonly Claim[], namespace: string, name: string): Claim | undefined {
  const open = claims.filter(
    ({ metadata, spec, status }) =>
      metadata.deletionTimestamp === undefined && !spec?.volumeName && status?.phase === 'Pending',
  );
  const near = nearestName(
    name,
    open.filter(({ metadata }) => metadata.namespace === namespace).map(({ metadata }) => metadata.name),
  );
  return (
    open.find(({ metadata }) => metadata.name === name) ??
    open.find(({ metadata }) => metadata.namespace === namespace && metadata.name === near)
  );
}

function nameOf({ metadata }: Claim): string {
  return `pvc/${metadata.name} in namespace ${metadata.namespace ?? ''}`;
}

function adviseVolume({ object: volume }: ObjectCase<'PersistentVolume'>, meant: Claim | undefined): Fix[] {
  if (meant) return [reserveFor(volume, meant, 'safe')];
  return [
    steps(
      `If that claim is not to come, remove the claimRef of pv/${volume.metadata.name}. ` +
        'Any claim that fits may then take the volume and what is on it.',
      [patchCommand(volume, { spec: { claimRef: null } })],
      'data-loss',
    ),
  ];
}

function reserveFor(volume: Volume, claim: Claim, risk: Risk): Fix {
  const { name, namespace = '' } = claim.metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name };
  return steps(
    `If pv/${volume.metadata.name} is meant for ${nameOf(claim)}, reserve it for that claim. The two are bound within 15 seconds.`,
    [patchCommand(volume, { spec: { claimRef } })],
    risk,
  );
}
