import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { eventSaid, field, fix } from '../../facts/evidence.ts';
import { matchVolume, reservationOf, volumeModeOf } from '../../facts/volume/volume-match.ts';
import type { VolumeCheck } from '../../facts/volume/volume-match.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { patchVolume, remakeClaim } from './closest-volume.ts';
import { claimField, failedChecksEvidence, failedChecksText } from './failed-checks.ts';
import { isOnlyUnsized } from './reserved-volume.ts';

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
    return c.volume.state === 'found' ? explainObjects(c, c.volume.object, said) : explainEvent(c, said);
  },
});

function explainObjects(c: PresentClaim, volume: Volume, said: EventMatch | undefined): Explanation | undefined {
  if (reservationOf(volume, c.claim) !== 'none') return undefined;
  const match = matchVolume(volume, c.claim, { by: 'volumeName' });
  const { failed } = match;
  const [first] = failed;
  if (!first || isOnlyUnsized(match)) return undefined;
  return {
    summary: `pvc/${c.name} names volume ${c.volumeName}, which does not fit it: ${failedChecksText(c, volume, failed)}`,
    evidence: [field(c.claim, 'spec.volumeName'), ...failedChecksEvidence(c, volume, failed), ...saidOnClaim(c, said)],
    fix: advise(c, volume, first),
  };
}

/** Where volumes cannot be read, the controller's event still names the failed check. */
function explainEvent(c: PresentClaim, said: EventMatch | undefined): Explanation | undefined {
  if (!said || (said.match[1] !== c.volumeName && said.match[1] !== '')) return undefined;
  const words = said.match[2] ?? '';
  const check = wording.find(([pattern]) => pattern.test(words))?.[1];
  return {
    confidence: 'likely',
    summary: `pvc/${c.name} names volume ${c.volumeName}, which does not fit it: ${words}`,
    evidence: [
      field(c.claim, 'spec.volumeName'),
      ...(check ? [claimField(c, check)] : []),
      eventSaid(c.claim, said.event),
    ],
    fix: [remakeToFit(c)],
  };
}

function advise(c: PresentClaim, volume: Volume, check: VolumeCheck): Fix[] {
  switch (check) {
    case 'class':
      return adviseClass(c, volume);
    case 'capacity':
      return adviseCapacity(c, volume);
    case 'terminating':
      return [fix('look which volumes there are, make a new one, and name that', 'kubectl get pv')];
    case 'volumeMode':
      return [remakeClaim(c, `delete the claim and make it again with volumeMode ${volumeModeOf(volume)}`)];
    case 'accessModes':
      return [adviseModes(c, volume)];
    default:
      return [remakeToFit(c)];
  }
}

function adviseClass(c: PresentClaim, volume: Volume): Fix[] {
  const patch = patchVolume(volume.metadata.name, { spec: { storageClassName: c.class.name } });
  const className = resolveClass(volume).name || '""';
  return [
    fix('give the volume the class of the claim', patch),
    remakeClaim(c, `or delete the claim and make it again with storageClassName ${className}`),
  ];
}

function adviseCapacity(c: PresentClaim, volume: Volume): Fix[] {
  const capacity = volume.spec?.capacity?.['storage'] ?? 'what the volume holds';
  return [
    remakeClaim(c, `delete the claim and make it again with at most ${capacity}`),
    fix('or look for a larger volume, and name that', 'kubectl get pv'),
  ];
}

function adviseModes(c: PresentClaim, volume: Volume): Fix {
  const offered = (volume.spec?.accessModes ?? []).join(', ') || 'none';
  return remakeClaim(c, `delete the claim and make it again with a mode that the volume offers (${offered})`);
}

function remakeToFit(c: PresentClaim): Fix {
  return remakeClaim(c, 'delete the claim and make it again as the volume is, or name another volume');
}
