import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { explainTold } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';
import { allowModeChange, restoreFailureOf, restoreRefusal } from './restore-source.ts';
import type { SnapshotContent } from './restore-source.ts';

/** external-provisioner getSnapshotSource (--prevent-volume-mode-conversion): only an annotation on the content allows another mode. */
export const restoreVolumemodeDenied = claimRule({
  cause: 'restore-volumemode-denied',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'mode') return undefined;
    if (failure.by === 'provisioner')
      return explainTold(c, failure, {
        summary: `the claim asks for another volume mode than the snapshot was taken of, and the content of volumesnapshot/${failure.source.name} does not allow the change`,
        fix: [remakeClaim(c, 'with the volume mode of the source')],
      });
    const { content, wanted, had } = failure;
    return {
      summary: `the claim asks for volume mode ${wanted}, the snapshot was taken of a ${had} volume, and volumesnapshotcontent/${content.metadata.name} does not allow the change`,
      evidence: [
        field(c.claim, 'spec.volumeMode'),
        field(content, 'spec.sourceVolumeMode'),
        permissionField(content),
        ...restoreRefusal(c, 'mode'),
      ],
      fix: [remakeClaim(c, `with volumeMode ${had}`), allowChange(content)],
    };
  },
});

function permissionField(content: SnapshotContent): Evidence {
  const value = content.metadata.annotations?.[allowModeChange] ?? 'not set';
  return field(content, `metadata.annotations[${allowModeChange}]`, value);
}

function allowChange(content: SnapshotContent): Fix {
  return fix(
    'or, if the data is meant to be read in the other mode, allow the change',
    `kubectl annotate volumesnapshotcontent ${shellWord(content.metadata.name)} ${allowModeChange}=true --overwrite`,
  );
}
