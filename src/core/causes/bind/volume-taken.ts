import { nearestName } from '../../kube/names.ts';
import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { claimRule, objectRule } from '../lib/rule.ts';
import { namesClaim, reservationOf } from '../../facts/volume/volume-match.ts';
import { closestMiss, closestVolumeRule, confidenceOf, ownerText, patchVolume } from './closest-volume.ts';

/**
 * pv_controller syncVolume: the uid in the claimRef is that of a claim which is gone, so the volume stays Released for
 * ever, also for a claim that is made again under the same name.
 */
export const pvReleasedStaleClaimRef = claimRule({
  cause: 'pv-released-stale-claimref',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const named = c.namesVolume && c.volume?.state === 'found' ? c.volume.object : undefined;
    if (named) {
      if (reservationOf(named, c.claim) !== 'other' || !namesClaim(named, c.claim)) return undefined;
      const said = newestMatch(c.events.items, 'FailedBinding', /already bound to a different claim/);
      return {
        summary: staleText(named),
        evidence: [
          field(c.claim, 'spec.volumeName'),
          field(c.claim, 'metadata.uid'),
          field(named, 'spec.claimRef.uid'),
          field(named, 'status.phase'),
          ...(said ? [eventSaid(c.claim, said.event)] : []),
        ],
        fix: keepReservation(named),
      };
    }
    const miss = closestMiss(c);
    if (!miss || (miss.reason !== 'stale' && miss.reason !== 'released')) return undefined;
    const { misses, complete } = nearMissesOf(c);
    const isOwn = miss.reason === 'stale';
    return {
      confidence: confidenceOf(c, complete),
      summary: isOwn
        ? staleText(miss.volume)
        : `no existing volume fits: the closest, ${miss.volume.metadata.name}, is still held for claim ${ownerText(miss)}, which is gone, and a released volume is never given to another claim by itself`,
      evidence: [...(isOwn ? [field(c.claim, 'metadata.uid')] : []), ...missEvidence(misses, c.claim)] as [Evidence],
      fix: isOwn ? keepReservation(miss.volume) : freeVolume(miss.volume),
    };
  },
});

export function staleText(volume: Volume): string {
  return `volume ${volume.metadata.name} is still held for an earlier claim of the same name: it was deleted and made again, and the uid in the volume's claimRef is the old one`;
}

export function keepReservation(volume: Volume): Fix[] {
  return [
    ...keepData(volume, 'its reclaim policy is Delete: keep the data safe first'),
    fix(
      'look what is on the volume; then take the old uid out of its claimRef, so that the new claim gets it, data and all',
      patchVolume(volume.metadata.name, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
    ),
  ];
}

/**
 * For a claim that was bound once: pv_controller syncBoundClaim binds it again when the claimRef has its uid, or when there is none at all.
 * A claimRef without a uid leaves it Lost, and no claimRef would let another claim take the volume first.
 */
export function giveBack(volume: Volume, claim: Claim): Fix[] {
  return [
    ...keepData(
      volume,
      'at once: its reclaim policy is Delete, and for the cluster its claim is gone, so the volume is about to be deleted with its data; set the policy to Retain first',
    ),
    fix(
      `write the uid of pvc/${claim.metadata.name} into the claimRef of the volume: the two are then bound again by themselves, data and all`,
      patchVolume(volume.metadata.name, {
        spec: { claimRef: { uid: claim.metadata.uid ?? 'UID', resourceVersion: null } },
      }),
    ),
  ];
}

function keepData(volume: Volume, text: string): Fix[] {
  return volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
    ? [fix(text, patchVolume(volume.metadata.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }))]
    : [];
}

function freeVolume(volume: Volume): Fix[] {
  return [
    fix('look which volumes there are, and make a new one for the claim', 'kubectl get pv'),
    fix(
      'data-loss: or, if nobody needs what the old claim left on it, free the volume; the new claim may read and overwrite it',
      patchVolume(volume.metadata.name, { spec: { claimRef: null } }),
      'data-loss',
    ),
  ];
}

/** component-helpers IsVolumeBoundToClaim: a volume has one claim, whatever its access modes. */
export const pvClaimedByOther = closestVolumeRule('pv-claimed-by-other', ['claimed'], (c, miss) => ({
  says: `belongs to claim ${ownerText(miss)}`,
  fix: [
    fix(
      'look which volumes there are, and make another one for the claim: one volume serves one claim only',
      'kubectl get pv',
    ),
    ...(miss.volume.spec?.claimRef?.namespace === c.namespace
      ? [
          fix(
            `or let the pods use claim ${miss.volume.spec.claimRef.name ?? ''} instead: several pods may share one claim`,
          ),
        ]
      : []),
  ],
}));

/** pv_controller syncVolume leaves a volume alone whose claimRef has no uid: it waits for that claim for ever. */
export const pvReservedForAbsentClaim = claimRule({
  cause: 'pv-reserved-for-absent-claim',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const closest = closestMiss(c);
    if (!closest) return undefined;
    const { misses, complete } = nearMissesOf(c);
    const isCause = closest.reason === 'absentOwner';
    const miss = isCause
      ? closest
      : misses.find((candidate) => candidate.reason === 'absentOwner' && isNear(candidate, c));
    if (!miss) return undefined;
    const reference = miss.volume.spec?.claimRef;
    return {
      severity: isCause ? 'blocking' : 'warning',
      confidence: confidenceOf(c, complete),
      summary: `volume ${miss.volume.metadata.name} is reserved for claim ${ownerText(miss)}, which does not exist${isNear(miss, c) ? `; was ${c.namespace}/${c.name} meant?` : ''}`,
      evidence: [
        ...missEvidence(isCause ? misses : [miss], c.claim),
        absent('PersistentVolumeClaim', reference?.name ?? '', reference?.namespace),
      ] as [Evidence],
      fix: [
        fix(
          `reserve the volume for this claim, if it is the one that is meant`,
          reserveFor(miss.volume.metadata.name, c.namespace, c.name),
        ),
        fix('or give it free for any claim', patchVolume(miss.volume.metadata.name, { spec: { claimRef: null } })),
      ],
    };
  },
});

/** The same, asked about the volume. It may wait for a claim that is yet to be made: nothing is wrong with it then. */
export const volumeReservedForAbsentClaim = objectRule('PersistentVolume', {
  cause: 'pv-reserved-for-absent-claim',
  stage: 'bind',
  severity: 'warning',
  explain(v) {
    const { namespace, name, uid } = v.object.spec?.claimRef ?? {};
    if (v.object.status?.phase !== 'Available' || v.isTerminating || namespace === undefined || !name || uid)
      return undefined;
    const claim = v.ask.get(
      'PersistentVolumeClaim',
      namespace,
      name,
      `whether pvc/${name}, for which pv/${v.name} is reserved, exists`,
    );
    if (claim.state !== 'missing') return undefined;
    const meant = claimMeant(v.ask.seen('PersistentVolumeClaim'), namespace, name);
    return {
      summary: `volume ${v.name} is reserved for claim ${namespace}/${name}, which does not exist${meant ? `; was ${meant.metadata.namespace ?? ''}/${meant.metadata.name} meant?` : ': it is kept from all others until that claim is made'}`,
      evidence: [
        field(v.object, 'spec.claimRef', `${namespace}/${name}`),
        absent('PersistentVolumeClaim', name, namespace),
        ...(meant ? [field(meant, 'status.phase')] : []),
      ],
      fix: [
        ...(meant
          ? [
              fix(
                `reserve the volume for claim ${meant.metadata.namespace ?? ''}/${meant.metadata.name}, if it is the one that is meant`,
                reserveFor(v.name, meant.metadata.namespace ?? '', meant.metadata.name),
              ),
            ]
          : []),
        fix(`${meant ? 'or ' : ''}give it free for any claim`, patchVolume(v.name, { spec: { claimRef: null } })),
      ],
    };
  },
});

/** Of the claims at hand that still look for a volume, one of the same name in another namespace, or of nearly that name in this one. */
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

function reserveFor(volumeName: string, namespace: string, name: string): string {
  return patchVolume(volumeName, {
    spec: { claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name } },
  });
}

function isNear({ volume }: NearMiss, c: PresentClaim): boolean {
  const { name = '', namespace = '' } = volume.spec?.claimRef ?? {};
  return name === c.name || (namespace === c.namespace && nearestName(c.name, [name]) !== undefined);
}

/** pv_controller syncUnboundClaim: the controller waits, and says so, until the volume is free. */
export const pvcVolumeNameClaimedByOther = claimRule({
  cause: 'pvc-volumename-claimed-by-other',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!c.namesVolume || !c.volume || c.volume.state === 'missing') return undefined;
    const said = newestMatch(c.events.items, 'FailedBinding', /already bound to a different claim/);
    const volume = c.volume.state === 'found' ? c.volume.object : undefined;
    if (volume ? reservationOf(volume, c.claim) !== 'other' || namesClaim(volume, c.claim) : !said) return undefined;
    const reference = volume?.spec?.claimRef;
    const owner = reference ? ` claim ${reference.namespace ?? ''}/${reference.name ?? ''}` : ' another claim';
    const isReleased = volume?.status?.phase === 'Released';
    return {
      confidence: volume ? 'certain' : 'likely',
      summary: `pvc/${c.name} names volume ${c.volumeName}, which ${isReleased ? 'is still held for' : 'belongs to'}${owner}${isReleased ? ', which is gone' : ''}`,
      evidence: [
        field(c.claim, 'spec.volumeName'),
        ...(volume
          ? [
              field(volume, 'spec.claimRef', `${reference?.namespace ?? ''}/${reference?.name ?? ''}`),
              field(volume, 'status.phase'),
            ]
          : []),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          'delete the claim and make it again with the name of a free volume: nothing is stored under a claim that was never bound',
          `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
          'disruptive',
        ),
        ...(volume && isReleased ? freeVolume(volume).slice(1) : []),
      ],
    };
  },
});
