import { nearestName } from '../../kube/names.ts';
import type { VolumeCheck } from '../../facts/volume/volume-match.ts';
import { matchVolume, reservationOf, volumeModeOf } from '../../facts/volume/volume-match.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, field, fix } from '../../facts/evidence.ts';
import { describeMiss } from '../../facts/volume/near-miss.ts';
import { claimRule } from '../lib/rule.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { patchVolume, remakeClaim } from './closest-volume.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { Volume } from '../../kube/kinds.ts';

const refusals = /VolumeMismatch|FailedBinding/;

/** pv_controller syncUnboundClaim says nothing at all while the named volume is not there. */
export const pvcVolumeNameNotFound = claimRule({
  cause: 'pvc-volumename-not-found',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!c.namesVolume || !c.volume || c.volume.state === 'found') return undefined;
    const isMissing = c.volume.state === 'missing';
    // A volume that is there and does not fit would be complained about every few seconds: silence speaks.
    if (
      !isMissing &&
      (c.ageSeconds < 60 || !c.events.complete || c.events.items.some((event) => refusals.test(event.reason ?? '')))
    )
      return undefined;
    const near = nearestName(
      c.volumeName,
      c.ask.seen('PersistentVolume').map((volume) => volume.metadata.name),
    );
    const evidence: [Evidence, ...Evidence[]] = [field(c.claim, 'spec.volumeName')];
    return {
      confidence: isMissing ? 'certain' : 'possible',
      summary: isMissing
        ? `pvc/${c.name} names volume ${c.volumeName}, which does not exist${near ? `; did you mean ${near}?` : ''}`
        : `pvc/${c.name} names volume ${c.volumeName}, and the controller says nothing about it, as it does when the volume does not exist`,
      evidence: isMissing ? [...evidence, absent('PersistentVolume', c.volumeName)] : evidence,
      fix: [
        fix(
          `look which volumes there are, and make volume ${c.volumeName}: the claim then goes on by itself`,
          'kubectl get pv',
        ),
        remakeClaim(
          c,
          `or delete the claim and make it again ${near ? `with volumeName ${near}` : 'without volumeName'}`,
        ),
      ],
    };
  },
});

const wording: readonly (readonly [RegExp, VolumeCheck])[] = [
  [/marked for deletion/, 'terminating'],
  [/too small/, 'capacity'],
  [/storageClassName does not match/, 'class'],
  [/volumeAttributesClassName does not match/, 'attributesClass'],
  [/incompatible volumeMode/, 'volumeMode'],
  [/incompatible accessMode/, 'accessModes'],
];

/** pv_controller checkVolumeSatisfyClaim: neither selector, nor phase, nor node affinity matter here. */
export const pvcVolumeNameMismatch = claimRule({
  cause: 'pvc-volumename-mismatch',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!c.namesVolume || !c.volume || c.volume.state === 'missing') return undefined;
    const said = newestMatch(c.events.items, 'VolumeMismatch', /Cannot bind to requested volume "([^"]*)": (.*)/);
    if (c.volume.state === 'unknown') {
      if (!said || (said.match[1] !== c.volumeName && said.match[1] !== '')) return undefined;
      const check = wording.find(([pattern]) => pattern.test(said.match[2] ?? ''))?.[1];
      return {
        confidence: 'likely',
        summary: `pvc/${c.name} names volume ${c.volumeName}, which does not fit it: ${said.match[2] ?? ''}`,
        evidence: [
          field(c.claim, 'spec.volumeName'),
          ...(check ? [claimField(c, check)] : []),
          eventSaid(c.claim, said.event),
        ],
        fix: [remakeClaim(c, 'delete the claim and make it again as the volume is, or name another volume')],
      };
    }
    const volume = c.volume.object;
    if (reservationOf(volume, c.claim) !== 'none') return undefined;
    const { failed } = matchVolume(volume, c.claim, { by: 'volumeName' });
    const [first, ...rest] = failed;
    if (!first || (failed.length === 1 && isUnsized(volume, first))) return undefined;
    const misses = [first, ...rest].map((check) => ({ check, ...describeMiss(volume, c.claim, check) }));
    return {
      summary: `pvc/${c.name} names volume ${c.volumeName}, which does not fit it: ${misses.map(({ path, text }) => `${path} is ${text}`).join('; ')}`,
      evidence: [
        field(c.claim, 'spec.volumeName'),
        ...misses.flatMap(({ check, path, text }) => [claimField(c, check), field(volume, path, text)]),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: fixesOf(c, volume, first),
    };
  },
});

/** A volume without a size is a cause of its own. */
function isUnsized(volume: Volume, check: VolumeCheck): boolean {
  return check === 'capacity' && volume.spec?.capacity?.['storage'] === undefined;
}

export function claimField(c: PresentClaim, check: VolumeCheck): Evidence {
  switch (check) {
    case 'capacity':
      return field(c.claim, 'spec.resources.requests.storage');
    case 'class':
      return c.class.source === 'annotation'
        ? field(c.claim, 'metadata.annotations[volume.beta.kubernetes.io/storage-class]', c.class.name)
        : field(c.claim, 'spec.storageClassName');
    case 'volumeMode':
      return field(c.claim, 'spec.volumeMode');
    case 'accessModes':
      return field(c.claim, 'spec.accessModes');
    case 'attributesClass':
      return field(c.claim, 'spec.volumeAttributesClassName');
    default:
      return field(c.claim, 'spec.volumeName');
  }
}

function fixesOf(c: PresentClaim, volume: Volume, check: VolumeCheck): Fix[] {
  const { name } = volume.metadata;
  switch (check) {
    case 'class':
      return [
        fix('give the volume the class of the claim', patchVolume(name, { spec: { storageClassName: c.class.name } })),
        remakeClaim(
          c,
          `or delete the claim and make it again with storageClassName ${resolveClass(volume).name || '""'}`,
        ),
      ];
    case 'capacity':
      return [
        remakeClaim(
          c,
          `delete the claim and make it again with at most ${volume.spec?.capacity?.['storage'] ?? 'what the volume holds'}`,
        ),
        fix('or look for a larger volume, and name that', 'kubectl get pv'),
      ];
    case 'terminating':
      return [fix('look which volumes there are, make a new one, and name that', 'kubectl get pv')];
    case 'volumeMode':
      return [remakeClaim(c, `delete the claim and make it again with volumeMode ${volumeModeOf(volume)}`)];
    case 'accessModes':
      return [
        remakeClaim(
          c,
          `delete the claim and make it again with a mode that the volume offers (${(volume.spec?.accessModes ?? []).join(', ') || 'none'})`,
        ),
      ];
    default:
      return [remakeClaim(c, 'delete the claim and make it again as the volume is, or name another volume')];
  }
}
