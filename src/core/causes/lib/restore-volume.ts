import { volumesOfClass } from '../../facts/claim/claimed-volumes.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { csiSource, volumeManifest } from './create-volume.ts';
import { classText, otherClasses } from '../provision/other-class.ts';
import type { OtherClass } from '../provision/other-class.ts';
import { copiedClaimOf } from './copied-claim.ts';
import type { CopiedClaim } from './copied-claim.ts';
import { recreateCommands } from './recreate.ts';
import { provisionChange } from './remake-claim.ts';
import { createCommand, steps } from './steps.ts';
import { shellWord } from '../../kube/shell-word.ts';

const claimColumns = 'NAME:.metadata.name,PHASE:.status.phase,CLAIM:.spec.claimRef.name,UID:.spec.claimRef.uid';

/**
 * For a claim whose PersistentVolume object is gone. The storage behind it may still exist: with policy Retain, or if
 * the object was deleted by hand, no driver has deleted it.
 */
export function lostVolumeFixes(c: PresentClaim): Fix[] {
  const driver = c.provisioner ?? c.askedProvisioner;
  const like = volumesOfClass(c.ask, c.class.name).find(({ spec }) => spec?.csi?.driver === driver);
  const { source, words } = csiSource(driver, like);
  const isMissing = c.volume?.state === 'missing';
  const lookFirst = isMissing
    ? ''
    : 'The first line must report "NotFound": otherwise stop here, since its output names the claim that has the volume. ';
  const copy = copiedClaimOf(c);
  const look = `kubectl get pv ${shellWord(c.volumeName)} -o custom-columns=${shellWord(claimColumns)}`;
  const again = steps(
    `If the disk still exists in the storage system, recreate pv/${c.volumeName} for it. ${lookFirst}` +
      `${words}${driver === undefined ? '' : ' Add the volumeAttributes that other volumes of the driver have.'} ` +
      'The two are bound again within 15 seconds, data included.',
    [...(isMissing ? [] : [look]), createCommand(volumeManifest(c, c.volumeName, source, c.claim.metadata.uid))],
  );
  const over = startOver(c, driver === undefined ? otherClasses(c)[0] : undefined, copy);
  // A copy was made to get a new volume; the disk of the original may be in another cluster.
  return copy ? [over, again] : [again, over];
}

/** A class without a provisioner gives the claim no new volume, so another class has to. */
function startOver(c: PresentClaim, other: OtherClass | undefined, copy: CopiedClaim | undefined): Fix {
  const change = other === undefined ? { spec: {} } : provisionChange(c, other.name);
  const how = other === undefined ? '' : ` of ${classText(other)}`;
  const commands = recreateCommands(c.claim, { ...change, spec: { ...change.spec, volumeName: null } });
  if (copy) return steps(unbindText(copy, how), commands, 'data-loss');
  return steps(
    `If the disk is gone, stop the pods of the claim, recreate the claim with a new, empty volume${how}, and restore a backup into it.`,
    commands,
    'data-loss',
  );
}

/** The new volume is empty until the backup is restored into it. */
function unbindText({ restore, others }: CopiedClaim, how: string): string {
  const data =
    restore === undefined
      ? 'Then restore the backup into it.'
      : `Its data comes only from the backup: restore "${restore}" continues once the claim is bound if it still runs ` +
        '(kubectl get restores.velero.io -A shows its phase); otherwise run it again.';
  const rest = others.length === 0 ? '' : ' The other Lost claims of the restore need the same.';
  return (
    `Recreate the claim without its old binding: it then gets a new, empty volume${how}. ${data} ` +
    `If the old disk still exists and its data is needed, do the next step instead.${rest}`
  );
}
