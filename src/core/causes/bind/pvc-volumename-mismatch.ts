import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { missingModes } from '../../facts/volume/miss-text.ts';
import { matchVolume, reservationOf } from '../../facts/volume/volume-match.ts';
import type { VolumeCheck } from '../../facts/volume/volume-match.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { steps } from '../lib/steps.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { claimField, failedChecksEvidence, failedChecksText } from './failed-checks.ts';
import {
  addModesFix,
  canServe,
  canSetClass,
  fitClaim,
  giveAttributesClassFix,
  giveClassFix,
  trueSizeFix,
} from './make-fit.ts';
import { isOnlyUnsized } from './reserved-volume.ts';
import {
  accessModeText,
  requestedVolumeText,
  volumeAttributesClassText,
  volumeClassText,
  volumeModeText,
  volumeTerminatingText,
  volumeTooSmallText,
} from '../lib/driver-error/sentences/volume-controller.ts';

const wording: readonly (readonly [RegExp, VolumeCheck])[] = [
  [volumeTerminatingText, 'terminating'],
  [volumeTooSmallText, 'capacity'],
  [volumeClassText, 'class'],
  [volumeAttributesClassText, 'attributesClass'],
  [volumeModeText, 'volumeMode'],
  [accessModeText, 'accessModes'],
];

/** pv_controller checkVolumeSatisfyClaim: neither selector, nor phase, nor node affinity matter here. */
export const pvcVolumeNameMismatch = claimRule({
  cause: 'pvc-volumename-mismatch',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!c.namesVolume || !c.volume || c.volume.state === 'missing') return undefined;
    const said = newestMatch(c.events.items, 'VolumeMismatch', requestedVolumeText);
    return c.volume.state === 'found' ? explainObjects(c, c.volume.object, said) : explainEvent(c, said);
  },
});

function explainObjects(c: PresentClaim, volume: Volume, said: EventMatch | undefined): Explanation | undefined {
  if (reservationOf(volume, c.claim) !== 'none') return undefined;
  const match = matchVolume(volume, c.claim, { by: 'volumeName' });
  const { failed } = match;
  if (failed.length === 0 || isOnlyUnsized(match)) return undefined;
  return {
    summary: `${claimText(c)} names pv/${c.volumeName}, but the volume ${failedChecksText(c, volume, failed)}.`,
    evidence: [field(c.claim, 'spec.volumeName'), ...failedChecksEvidence(c, volume, failed), ...saidOnClaim(c, said)],
    fix: advise(c, volume, failed),
  };
}

/** Where volumes cannot be read, the controller's event still names the failed check. */
function explainEvent(c: PresentClaim, said: EventMatch | undefined): Explanation | undefined {
  if (!said || (said.match[1] !== c.volumeName && said.match[1] !== '')) return undefined;
  const words = said.match[2] ?? '';
  const check = wording.find(([pattern]) => pattern.test(words))?.[1];
  return {
    confidence: 'likely',
    summary: `${claimText(c)} names pv/${c.volumeName}, which does not fit it: the volume controller reports "${words}".`,
    evidence: [
      field(c.claim, 'spec.volumeName'),
      ...(check ? [claimField(c, check)] : []),
      eventSaid(c.claim, said.event),
    ],
    fix: [remakeToFit(c, check)],
  };
}

function advise(c: PresentClaim, volume: Volume, failed: readonly VolumeCheck[]): Fix[] {
  if (failed.includes('terminating'))
    return [
      recreateClaim(c, 'with the name of another volume (PLACEHOLDER_VOLUME): this one is being deleted', {
        spec: { volumeName: 'PLACEHOLDER_VOLUME' },
      }),
    ];
  const fit = fitClaim(c, volume, failed);
  const [only, ...others] = failed;
  if (others.length > 0) return [fit];
  switch (only) {
    case 'class':
      return canSetClass(c, volume) ? [fit, giveClassFix(c, volume)] : [giveClassFix(c, volume), fit];
    case 'capacity':
      return [fit, trueSizeFix(c, volume)];
    case 'accessModes':
      return canServe(volume, missingModes(volume, c.claim))
        ? [addModesFix(c, volume), fit]
        : [fit, addModesFix(c, volume)];
    case 'attributesClass':
      return [...(c.claim.spec?.volumeAttributesClassName ? [giveAttributesClassFix(c, volume)] : []), fit];
    default:
      return [fit];
  }
}

/** Where volumes cannot be read, a person has to look up the value that the volume has. */
const unseenChanges: Readonly<Partial<Record<VolumeCheck, { readonly how: string; readonly spec: object }>>> = {
  capacity: {
    how: 'with a size that the volume has (PLACEHOLDER_SIZE)',
    spec: { resources: { requests: { storage: 'PLACEHOLDER_SIZE' } } },
  },
  class: { how: 'with the class of the volume (PLACEHOLDER_CLASS)', spec: { storageClassName: 'PLACEHOLDER_CLASS' } },
  accessModes: {
    how: 'with access modes that the volume offers (PLACEHOLDER_MODE)',
    spec: { accessModes: ['PLACEHOLDER_MODE'] },
  },
};

function remakeToFit(c: PresentClaim, check: VolumeCheck | undefined): Fix {
  const { how, spec } = (check && unseenChanges[check]) ?? {
    how: 'with the name of a volume that fits (PLACEHOLDER_VOLUME)',
    spec: { volumeName: 'PLACEHOLDER_VOLUME' },
  };
  const { commands = [], text, risk } = recreateClaim(c, `${how}, which the first line shows`, { spec });
  const columns =
    'SIZE:.spec.capacity.storage,MODES:.spec.accessModes,CLASS:.spec.storageClassName,VOLUMEMODE:.spec.volumeMode,PHASE:.status.phase';
  // If no single value is known, another volume may be intended.
  const which = spec === unseenChanges[check ?? 'selector']?.spec ? ` ${shellWord(c.volumeName)}` : '';
  return steps(text, [`kubectl get pv${which} -o custom-columns=NAME:.metadata.name,${columns}`, ...commands], risk);
}
