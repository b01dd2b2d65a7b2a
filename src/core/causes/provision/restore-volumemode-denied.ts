import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { failure } from './provisioner.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { Named } from '../lib/steps.ts';
import { explainTold } from './data-source.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { allowModeChange, restoreFailureOf, restoreRefusal } from './restore-source.ts';
import type { SnapshotContent } from './restore-source.ts';
import { modeChangeDeniedText } from '../lib/driver-error/sentences/provisioner.ts';

/**
 * external-provisioner getSnapshotSource (--prevent-volume-mode-conversion): only an annotation on the content allows
 * another mode.
 */
export const restoreVolumemodeDenied = claimRule({
  cause: 'restore-volumemode-denied',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'mode') return undefined;
    const snapshot = `VolumeSnapshot "${failure.source.name}"`;
    if (failure.by === 'provisioner') {
      const other = volumeModeOf(c.claim) === 'Block' ? 'Filesystem' : 'Block';
      return explainTold(c, failure, {
        summary:
          `${claimText(c)} asks for volumeMode ${volumeModeOf(c.claim)}, and the provisioner reports that ` +
          `${snapshot} was taken of a volume with another mode and may not be converted.`,
        fix: [recreateClaim(c, `with volumeMode ${other}`, { spec: { volumeMode: other } }), ...allowToldChange(c)],
      });
    }
    const { content, wanted, had } = failure;
    return {
      summary:
        `${claimText(c)} asks for volumeMode ${wanted}, ${snapshot} was taken of a ${had} volume, and ` +
        `VolumeSnapshotContent "${content.metadata.name}" does not allow the change.`,
      evidence: [
        field(c.claim, 'spec.volumeMode'),
        field(content, 'spec.sourceVolumeMode'),
        permissionField(content),
        ...restoreRefusal(c, 'mode'),
      ],
      fix: [recreateClaim(c, `with volumeMode ${had}`, { spec: { volumeMode: had } }), allowChange(content, wanted)],
    };
  },
});

/** The content was not read, but the refusal names it. */
function allowToldChange(c: PresentClaim): Fix[] {
  const said = failure(c, modeChangeDeniedText);
  const name = said?.match[1];
  return name === undefined
    ? []
    : [allowChange({ kind: 'VolumeSnapshotContent', metadata: { name } }, volumeModeOf(c.claim))];
}

function permissionField(content: SnapshotContent): Evidence {
  const value = content.metadata.annotations?.[allowModeChange] ?? 'not set';
  return field(content, `metadata.annotations[${allowModeChange}]`, value);
}

function allowChange(content: Named, wanted: string): Fix {
  return steps(
    `If the data is meant to be read as ${wanted}, for example by a backup tool, allow the change. The ` +
      'claim is then restored automatically.',
    [kubectl('annotate', content, `${allowModeChange}=true --overwrite`)],
  );
}
