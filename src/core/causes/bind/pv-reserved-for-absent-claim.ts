import { nearestName } from '../../kube/names.ts';
import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { claimRule, objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { closestMiss, confidenceOf, ownerText, patchVolume } from './closest-volume.ts';

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
  const hint = isNear(volume, c) ? `; was ${c.namespace}/${c.name} meant?` : '';
  return {
    severity,
    confidence: confidenceOf(c, nearMissesOf(c)),
    summary: `volume ${volume.metadata.name} is reserved for claim ${ownerText(volume)}, which does not exist${hint}`,
    evidence: [first ?? missing, ...rest],
    fix: [
      fix(
        `reserve the volume for this claim, if it is the one that is meant`,
        reserveFor(volume.metadata.name, c.namespace, c.name),
      ),
      freeVolume('or give it free for any claim', volume.metadata.name),
    ],
  };
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
      summary: `volume ${v.name} is reserved for claim ${namespace}/${name}, which does not exist${meant ? `; was ${nameOf(meant)} meant?` : ': it is kept from all others until that claim is made'}`,
      evidence: [
        field(v.object, 'spec.claimRef', `${namespace}/${name}`),
        absent('PersistentVolumeClaim', name, namespace),
        ...(meant ? [field(meant, 'status.phase')] : []),
      ],
      fix: adviseVolume(v.name, meant),
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

/** Of the claims read already that still look for a volume, one of the same name in another namespace, or of nearly that name in this one. */
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
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

function adviseVolume(volumeName: string, meant: Claim | undefined): Fix[] {
  if (!meant) return [freeVolume('give it free for any claim', volumeName)];
  return [
    fix(
      `reserve the volume for claim ${nameOf(meant)}, if it is the one that is meant`,
      reserveFor(volumeName, meant.metadata.namespace ?? '', meant.metadata.name),
    ),
    freeVolume('or give it free for any claim', volumeName),
  ];
}

function freeVolume(text: string, volumeName: string): Fix {
  return fix(text, patchVolume(volumeName, { spec: { claimRef: null } }));
}

function reserveFor(volumeName: string, namespace: string, name: string): string {
  return patchVolume(volumeName, {
    spec: { claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name } },
  });
}
