import { parseTime, secondsBetween } from '../../kube/time.ts';
import type { Volume } from '../../kube/kinds.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { volumesNaming } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { describeMiss } from '../../facts/volume/near-miss.ts';
import { claimRule } from '../lib/rule.ts';
import type { VolumeCheck, VolumeMatch } from '../../facts/volume/volume-match.ts';
import { matchVolume, reservationOf, volumeModeOf } from '../../facts/volume/volume-match.ts';
import type { Evidence } from '../../report/report.ts';
import { patchVolume, remakeClaim, requestField } from './closest-volume.ts';
import { claimField } from './named-volume.ts';
import { capacityTelling } from './volume-mismatch.ts';

/** Of the volumes whose claimRef is this claim, the one that fits best; a volume that both sides name is checked by nobody. */
export function reservedMatch(c: PresentClaim): VolumeMatch | undefined {
  if (c.isBound || c.isLost) return undefined;
  if (c.volumeName !== '') {
    const volume = c.volume?.state === 'found' ? c.volume.object : undefined;
    return volume && reservationOf(volume, c.claim) === 'this'
      ? matchVolume(volume, c.claim, { by: 'volumeName' })
      : undefined;
  }
  const matches = c.reservedVolumes.map((volume) => matchVolume(volume, c.claim, { by: 'search' }));
  return [...matches].sort((a, b) => a.failed.length - b.failed.length)[0];
}

/** Seconds since the controller could have bound the two. */
export function waitedFor(c: PresentClaim, volume: Volume): number {
  const times = [
    c.claim.metadata.creationTimestamp,
    volume.metadata.creationTimestamp,
    volume.status?.lastPhaseTransitionTime,
  ].map((time) => parseTime(time) ?? Number.NEGATIVE_INFINITY);
  return secondsBetween(Math.max(...times), c.now);
}

/** A reserved volume must fit in size, modes and volumeMode all the same; class, selector and phase are passed over (FindMatchingVolume). */
export const pvPreboundUnmatched = claimRule({
  cause: 'pv-prebound-unmatched',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const match = reservedMatch(c);
    const [first] = match?.failed ?? [];
    if (!match || !first || isMadeInWrongMode(match) || isMadeWithoutAttributes(match) || isUnsized(match))
      return undefined;
    const { volume } = match;
    const { name } = volume.metadata;
    const misses = match.failed.map((check) => ({ check, ...describeMiss(volume, c.claim, check) }));
    return {
      summary: `volume ${name} is reserved for pvc/${c.name}, but does not fit it: ${misses.map(({ path, text }) => `${path} is ${text}`).join('; ')}`,
      evidence: [
        claimRefField(volume),
        ...misses.flatMap(({ check, path, text }) => [claimField(c, check), field(volume, path, text)]),
      ],
      fix: [
        remakeClaim(c, 'delete the claim and make it again as the volume is'),
        ...(first === 'terminating'
          ? []
          : [
              fix(
                `or, if the volume can serve the claim as it is, name it in the claim as well: when both sides name each other nothing is compared`,
                `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type merge -p ${shellWord(JSON.stringify({ spec: { volumeName: name } }))}`,
              ),
            ]),
      ],
    };
  },
});

/** A volume that was made for the claim and carries its uid: pv_controller syncVolume reports the wrong mode and stops there. */
function isMadeInWrongMode({ volume, failed }: VolumeMatch): boolean {
  return failed.includes('volumeMode') && Boolean(volume.spec?.claimRef?.uid);
}

/** Made by a provisioner that did not take the attributes class: the volume controller compares it all the same. */
function isMadeWithoutAttributes({ volume, failed }: VolumeMatch): boolean {
  return (
    failed.length === 1 &&
    failed[0] === ('attributesClass' satisfies VolumeCheck) &&
    Boolean(volume.spec?.claimRef?.uid)
  );
}

function isUnsized({ volume, failed }: VolumeMatch): boolean {
  return (
    failed.length === 1 &&
    failed[0] === ('capacity' satisfies VolumeCheck) &&
    volume.spec?.capacity?.['storage'] === undefined
  );
}

function claimRefField(volume: Volume): Evidence {
  const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
  return field(volume, 'spec.claimRef', `${namespace}/${name}${uid ? `, uid ${uid}` : ', no uid'}`);
}

/** A provisioner that does not know volumeMode makes a file system for a claim that wants a block device. */
export const madeVolumeModeMismatch = claimRule({
  cause: 'pv-volumemode-mismatch',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const match = reservedMatch(c);
    if (!match || !isMadeInWrongMode(match)) return undefined;
    const { volume } = match;
    const said = newestMatch(c.events.items, 'VolumeMismatch', /incompatible volumeMode/);
    return {
      summary: `volume ${volume.metadata.name} was made for pvc/${c.name}, but is ${volumeModeOf(volume)}, and the claim asks for ${volumeModeOf(c.claim)}`,
      evidence: [
        field(c.claim, 'spec.volumeMode'),
        field(volume, 'spec.volumeMode'),
        claimRefField(volume),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        remakeClaim(c, `delete the claim and make it again with volumeMode ${volumeModeOf(volume)}`),
        fix(
          `or look for a class whose driver can make ${volumeModeOf(c.claim)} volumes: ${volume.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] ?? 'this one'} made the wrong kind`,
          'kubectl get storageclass',
        ),
      ],
    };
  },
});

/** An external-provisioner without VolumeAttributesClass makes the volume without it, and the two are never bound. */
export const madeVacMismatch = claimRule({
  cause: 'pv-vac-mismatch',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const match = reservedMatch(c);
    if (!match || !isMadeWithoutAttributes(match)) return undefined;
    const { volume } = match;
    const wanted = c.claim.spec?.volumeAttributesClassName ?? '';
    const had = volume.spec?.volumeAttributesClassName ?? '';
    const lookup =
      wanted === ''
        ? undefined
        : c.ask.get('VolumeAttributesClass', undefined, wanted, `whether volumeattributesclass/${wanted} exists`);
    const isMissing = lookup?.state === 'missing';
    return {
      summary: `volume ${volume.metadata.name} was made for pvc/${c.name} ${had === '' ? 'without an attributes class' : `with attributes class ${had}`}, and the claim has ${wanted === '' ? 'none' : `${wanted}${isMissing ? ', which does not exist' : ''}`}: the two are never bound`,
      evidence: [
        field(c.claim, 'spec.volumeAttributesClassName'),
        field(volume, 'spec.volumeAttributesClassName'),
        claimRefField(volume),
        ...(isMissing ? [absent('VolumeAttributesClass', wanted)] : []),
      ],
      fix: [
        remakeClaim(
          c,
          `delete the claim and make it again ${had === '' ? 'without volumeAttributesClassName' : `with volumeAttributesClassName ${had}`}`,
        ),
        fix(
          'or run an external-provisioner that knows attributes classes (5.2 or newer, with the feature switched on), and make the claim again',
        ),
      ],
    };
  },
});

/** pv_controller updateClaimStatus refuses a volume without a size, so that the claim is never marked Bound. */
export const reservedNoCapacity = claimRule({
  cause: 'pv-no-capacity',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const named = c.namesVolume && c.volume?.state === 'found' ? c.volume.object : undefined;
    const volume = reservedMatch(c)?.volume ?? (named && reservationOf(named, c.claim) === 'none' ? named : undefined);
    if (!volume || volume.spec?.capacity?.['storage'] !== undefined) return undefined;
    const telling = capacityTelling(c, volume);
    return {
      summary: `volume ${volume.metadata.name} ${telling.says}`,
      evidence: [requestField(c), field(volume, 'spec.capacity.storage')],
      fix: telling.fix,
    };
  },
});

/** pv_controller bind(): the volume is saved first, then the claim; a refused or lost second write leaves it halfway. */
export const bindIncomplete = claimRule({
  cause: 'bind-incomplete',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const match = reservedMatch(c) ?? lostButBack(c);
    if (!match || match.failed.length > 0 || waitedFor(c, match.volume) < 60) return undefined;
    const { volume } = match;
    return {
      confidence: volume.spec?.claimRef?.uid ? 'certain' : 'likely',
      summary: `volume ${volume.metadata.name} names pvc/${c.name} and fits, but the binding was never finished on the claim's side`,
      evidence: [
        claimRefField(volume),
        field(volume, 'status.phase'),
        field(c.claim, 'spec.volumeName'),
        field(c.claim, 'status.phase'),
        field(
          c.claim,
          'metadata.annotations[pv.kubernetes.io/bind-completed]',
          c.annotation('pv.kubernetes.io/bind-completed') ?? 'not set',
        ),
      ],
      fix: [
        fix(
          'see what the kube-controller-manager says when it writes the claim: a webhook or a quota may refuse it',
          'kubectl -n kube-system logs -l component=kube-controller-manager --tail=200',
        ),
        fix(
          'see which webhooks judge changes of claims',
          'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
        ),
      ],
    };
  },
});

/** A Lost claim whose volume is there again is bound anew at the next sync. */
function lostButBack(c: PresentClaim): VolumeMatch | undefined {
  const volume = c.isLost && c.volume?.state === 'found' ? c.volume.object : undefined;
  return volume && reservationOf(volume, c.claim) !== 'other' ? { volume, failed: [], isPrebound: true } : undefined;
}

/** persistentvolume/index.go findByClaim: groups with fewer access modes are searched first, and a hit there ends the search. */
export const pvPreboundStolen = claimRule({
  cause: 'pv-prebound-stolen',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    if (!c.isBound) return undefined;
    const waiting = volumesNaming(c.ask, c.claim).find(
      (volume) => volume.metadata.name !== c.volumeName && !volume.spec?.claimRef?.uid,
    );
    if (!waiting) return undefined;
    const { name } = waiting.metadata;
    return {
      summary: `volume ${name} is reserved for pvc/${c.name}, which is bound to ${c.volumeName}`,
      evidence: [field(c.claim, 'spec.volumeName'), claimRefField(waiting), field(waiting, 'status.phase')],
      fix: [
        fix(`if ${c.volumeName} is the right one, free the other`, patchVolume(name, { spec: { claimRef: null } })),
        fix(
          `otherwise make the claim again and name ${name} in its spec.volumeName too: a reservation on the volume alone does not hold the claim`,
        ),
      ],
    };
  },
});
