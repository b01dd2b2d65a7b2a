import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { messageOf } from '../../graph/events.ts';
import { sanitiseLeaseName } from '../../kube/names.ts';
import type { CsiDriver, KubeEvent } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, note } from '../../facts/evidence.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { firstOf } from './attach-trouble.ts';
import { leaseEvidence } from '../../facts/driver/controller-health.ts';
import { keeperNote } from '../lib/managed-by.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { steps } from '../lib/steps.ts';
import { sentenceStart, volumeWords } from '../mount/told-volume.ts';
import { mountFailuresOf } from '../mount/mount-failure.ts';
import { mountSenseOf } from '../lib/driver-error/node-sense.ts';
import { wantsAttachTexts } from '../lib/driver-error/senses/use.ts';
import { wantsDeviceTexts } from '../lib/driver-error/senses/missing.ts';

const mountFailed = ['FailedMount', 'FailedMapVolume'];
/** The kubelet gives up its first wait for the volumes of a pod after this time (podAttachAndMountTimeout). */
const firstWaitSeconds = 123;

/** A volume whose driver says that it needs no attach, and signs that it does. */
interface MissedAttach {
  readonly use: VolumeUse;
  readonly driver: string;
  readonly object: CsiDriver;
  readonly controller: DriverController;
  /** The mount event in which the driver misses the attach. */
  readonly said: KubeEvent | undefined;
  /** The attacher's finalizer on the volume. */
  readonly finalizer: string | undefined;
}

/** csi_plugin.go skipAttach: with attachRequired: false no attachment is created, even if the driver needs one. */
export const attachNotRequiredButNeeded = podRule({
  cause: 'attach-not-required-but-needed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    if (!p.isScheduled || hasMountedVolumes(p.pod)) return undefined;
    const uses = volumeUsesOf(p).filter(
      (use) => !use.isInline && use.volumeObject?.spec?.csi !== undefined && use.needsAttach === false,
    );
    return firstOf(uses, explainUse);
  },
});

function explainUse(use: VolumeUse): Explanation | undefined {
  const missed = findMissedAttach(use);
  if (!missed) return undefined;
  const { driver, said } = missed;
  const sign = said
    ? ', and the driver reports that it misses the attachment'
    : `, although the attacher of ${driver} has attached it before`;
  return {
    confidence: said ? 'likely' : 'possible',
    about: driver,
    summary:
      `${sentenceStart(volumeWords(use))} cannot be mounted on ${use.node}: ` +
      `CSIDriver "${driver}" has attachRequired: false, so no volume is attached${sign}.`,
    evidence: evidenceOf(missed),
    fix: fixesFor(missed),
  };
}

function findMissedAttach(use: VolumeUse): MissedAttach | undefined {
  const { driver, ask, p } = use;
  const object = driver === undefined ? undefined : ask.get('CSIDriver', undefined, driver);
  if (driver === undefined || object?.state !== 'found') return undefined;
  const said = p.events.items
    .filter(({ reason }) => mountFailed.includes(reason ?? ''))
    .filter((event) => messageOf(event).includes(`"${use.volumeName}"`))
    .findLast((event) => missesAttach(use, messageOf(event)));
  const controller = findController(ask, driver, 'attacher');
  const missed = { use, driver, object: object.object, controller, said, finalizer: attacherFinalizer(use, driver) };
  return said || hasAttacherThatWorked(missed) ? missed : undefined;
}

/** Many charts deploy an attacher that has nothing to do: it counts only for a disk that it has attached before. */
function hasAttacherThatWorked({ use, controller, finalizer }: MissedAttach): boolean {
  return (
    Boolean(controller.lease.object ?? controller.pods.items[0]) &&
    finalizer !== undefined &&
    use.isExclusive &&
    use.p.ageSeconds >= firstWaitSeconds &&
    mountFailuresOf(use.p).every(({ kind }) => kind === 'general')
  );
}

function missesAttach(use: VolumeUse, text: string): boolean {
  const isShare =
    use.volumeObject?.spec?.volumeMode !== 'Block' &&
    use.volumeObject?.spec?.accessModes?.includes('ReadWriteMany') === true;
  return wantsAttachTexts.test(text) || (!isShare && wantsDeviceTexts.test(text) && !hasOtherReason(text));
}

/** Other words of the same error name a reason for the missing device: the kernel, the network, a lock. */
function hasOtherReason(text: string): boolean {
  const sense = mountSenseOf(text)?.id;
  return sense !== undefined && !likeNoAttach.has(sense);
}

const likeNoAttach: ReadonlySet<string> = new Set(['deviceMissing', 'notAttached', 'gone', 'path', 'mountFailed']);

/** The attacher leaves it on each volume that it attaches (external-attacher csi_handler.go addPVFinalizer). */
function attacherFinalizer({ volumeObject }: VolumeUse, driver: string): string | undefined {
  const name = `external-attacher/${sanitiseLeaseName(driver)}`;
  return volumeObject?.metadata.finalizers?.find((finalizer) => finalizer === name);
}

function evidenceOf({ use, driver, object, controller, said, finalizer }: MissedAttach): Explanation['evidence'] {
  return [
    field(object, 'spec.attachRequired', false),
    ...(said ? [eventSaid(use.p.pod, said)] : []),
    ...(use.volumeObject && finalizer !== undefined ? [field(use.volumeObject, 'metadata.finalizers', finalizer)] : []),
    ...attacherEvidence(controller, driver),
  ];
}

function attacherEvidence(controller: DriverController, driver: string): Evidence[] {
  if (controller.lease.object) return leaseEvidence(controller).slice(0, 1);
  return controller.pods.items.slice(0, 1).map((pod) => note(pod, `runs an attacher for ${driver}`));
}

function fixesFor({ use, driver, object, controller }: MissedAttach): Fix[] {
  const isRunning = controller.lease.state === 'fresh' || controller.pods.items.length > 0;
  const attacher = isRunning
    ? ''
    : ` No attacher of ${driver} was found: deploy the external-attacher next to its controller, too, or the attach waits for it.`;
  return [
    steps(
      `If ${driver} attaches its volumes, recreate its CSIDriver object with attachRequired: ` +
        'true, which cannot be changed in place, and then the pod. ' +
        `Running pods keep their volumes.${attacher}${keeperNote(object)}`,
      [...recreateCommands(object, { spec: { attachRequired: true } }), ...restartPodCommands(use.p.pod)],
      'disruptive',
    ),
    logsFix(controller, 'driver'),
  ];
}
