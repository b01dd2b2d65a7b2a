import { volumesOfClass } from '../../facts/claim/claimed-volumes.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { csiSource, volumeManifest } from './create-volume.ts';
import { classText, otherClasses } from '../provision/other-class.ts';
import type { OtherClass } from '../provision/other-class.ts';
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
  const look = `kubectl get pv ${shellWord(c.volumeName)} -o custom-columns=${shellWord(claimColumns)}`;
  return [
    steps(
      `If the disk still exists in the storage system, recreate pv/${c.volumeName} for it. ${lookFirst}` +
        `${words}${driver === undefined ? '' : ' Add the volumeAttributes that other volumes of the driver have.'} ` +
        'The two are bound again within 15 seconds, data included.',
      [...(isMissing ? [] : [look]), createCommand(volumeManifest(c, c.volumeName, source, c.claim.metadata.uid))],
    ),
    startOver(c, driver === undefined ? otherClasses(c)[0] : undefined),
  ];
}

/** A class without a provisioner gives the claim no new volume, so another class has to. */
function startOver(c: PresentClaim, other: OtherClass | undefined): Fix {
  const change = other === undefined ? { spec: {} } : provisionChange(c, other.name);
  const how = other === undefined ? '' : ` of ${classText(other)}`;
  return steps(
    `If the disk is gone, stop the pods of the claim, recreate the claim with a new, empty volume${how}, and restore a backup into it.`,
    recreateCommands(c.claim, { ...change, spec: { ...change.spec, volumeName: null } }),
    'data-loss',
  );
}
