import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { Volume } from '../../kube/kinds.ts';
import { ageText } from '../../kube/time.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { modifySince } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { volumeOf } from '../expand/expansion.ts';
import { modificationOf, modifyEvidence, waitedSeconds } from './modification.ts';

const patienceSeconds = 120;

/**
 * external-resizer modifycontroller syncPVC: only a resizer with the feature on, and a driver with MODIFY_VOLUME, ever
 * touches the claim.
 */
export const modifyUnsupported = claimRule({
  cause: 'modify-unsupported',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const { wanted, current, state } = modificationOf(c);
    if (state !== '' || wanted === '' || wanted === current) return undefined;
    const volume = volumeOf(c);
    const driver = volume?.spec?.csi?.driver;
    if (volume && driver === undefined) return explainNotCsi(c, volume);
    return explainForeignClass(c, wanted, driver) ?? explainUntouched(c, wanted, driver);
  },
});

function explainNotCsi(c: PresentClaim, volume: Volume): Explanation {
  return {
    summary: `pv/${volume.metadata.name} is no CSI volume, so it has no attributes class to change`,
    evidence: [...modifyEvidence(c), note(volume, 'has no spec.csi')],
    fix: [
      fix(
        'take the wish back',
        `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type=merge -p '{"spec":{"volumeAttributesClassName":null}}'`,
      ),
    ],
  };
}

/** The class is written for another driver than that of the volume. */
function explainForeignClass(c: PresentClaim, wanted: string, driver: string | undefined): Explanation | undefined {
  const vac = c.ask.get(
    'VolumeAttributesClass',
    undefined,
    wanted,
    `for which driver attributes class ${wanted} is made`,
  );
  if (driver === undefined || vac.state !== 'found') return undefined;
  const { driverName } = vac.object;
  if (driverName === undefined || driverName === driver) return undefined;
  return {
    about: wanted,
    summary: `attributes class ${wanted} is made for ${driverName}, and the volume belongs to ${driver}`,
    evidence: [...modifyEvidence(c), field(vac.object, 'driverName')],
    fix: [
      fix(`name an attributes class of ${driver}`, `kubectl ${inNamespace(c.namespace)}edit pvc ${shellWord(c.name)}`),
    ],
  };
}

/** No resizer has written any status for the change. */
function explainUntouched(c: PresentClaim, wanted: string, driver: string | undefined): Explanation | undefined {
  if (waitedSeconds(c) < patienceSeconds) return undefined;
  const since = modifySince(c);
  const waited = since === undefined ? '' : ` in ${ageText(since, c.now)}`;
  return {
    confidence: 'likely',
    ...(driver !== undefined && { about: driver }),
    summary: `nobody has begun to change the volume to attributes class ${wanted}${waited}: the resizer of ${driver ?? 'the driver'} is too old or has the feature off, or the driver cannot change volumes`,
    evidence: [...modifyEvidence(c), field(c.claim, 'status.modifyVolumeStatus')],
    fix: [
      fix(
        'run an external-resizer that changes volumes (2.0 or newer, or 1.11 with --feature-gates=VolumeAttributesClass=true), with a driver that has the capability MODIFY_VOLUME',
      ),
      ...(driver === undefined ? [] : [logsFix(findController(c.ask, driver, 'resizer'))]),
    ],
  };
}
