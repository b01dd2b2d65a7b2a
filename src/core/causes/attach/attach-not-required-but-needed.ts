import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { messageOf } from '../../graph/events.ts';
import { sanitiseLeaseName } from '../../kube/names.ts';
import type { Evidence } from '../../report/report.ts';
import { eventSaid, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { firstOf } from './attach-trouble.ts';
import { leaseEvidence } from '../../facts/driver/controller-health.ts';
import { mountFailuresOf } from '../mount/mount-failure.ts';
import { mountSenseOf } from '../mount/mount-sense.ts';

const mountFailed = ['FailedMount', 'FailedMapVolume'];
/** A node plugin that misses what only ControllerPublishVolume could have done. */
const wantsAttach =
  /ControllerPublish\w*|publish ?_?context|(?:not|n't) (?:been )?(?:attached|published)|must be attached/i;
/** The same, where the volume is a disk: a file share never has a device. */
const wantsDevice =
  /device ?path.{0,40}(?:not found|missing|empty)|(?:no such device|(?:could not|couldn't|cannot|failed to) find (?:the )?(?:attached )?(?:device|disk))|(?:block )?device .{0,60}not found/i;

/** csi_plugin.go skipAttach: with attachRequired: false no attachment is made, whatever the driver needs. */
export const attachNotRequiredButNeeded = podRule({
  cause: 'attach-not-required-but-needed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    if (!p.isScheduled || hasMountedVolumes(p.pod)) return undefined;
    return firstOf(
      volumeUsesOf(p).filter(
        (use) => !use.isInline && use.volumeObject?.spec?.csi !== undefined && use.needsAttach === false,
      ),
      explainUse,
    );
  },
});

function explainUse(use: VolumeUse): ReturnType<(typeof attachNotRequiredButNeeded)['explain']> {
  const { driver, ask, volumeName, node, p } = use;
  const object = driver === undefined ? undefined : ask.get('CSIDriver', undefined, driver);
  if (driver === undefined || object?.state !== 'found') return undefined;
  const said = p.events.items
    .filter(({ reason }) => mountFailed.includes(reason ?? ''))
    .filter((event) => messageOf(event).includes(`"${volumeName}"`))
    .findLast((event) => missesAttach(use, messageOf(event)));
  const controller = findController(ask, driver, 'attacher');
  const attacher = controller.lease.object ?? controller.pods.items[0];
  const mark = attacherMark(use, driver);
  // Many a chart runs an attacher that has nothing to do: it counts only for a disk that it has attached before.
  if (
    !said &&
    (!attacher ||
      mark === undefined ||
      !use.isExclusive ||
      p.ageSeconds < 123 ||
      mountFailuresOf(p).some(({ kind }) => kind !== 'general'))
  )
    return undefined;
  const evidence: [Evidence, ...Evidence[]] = [
    field(object.object, 'spec.attachRequired', false),
    ...(said ? [eventSaid(p.pod, said)] : []),
    ...(use.volumeObject && mark !== undefined ? [field(use.volumeObject, 'metadata.finalizers', mark)] : []),
    ...(controller.lease.object
      ? leaseEvidence(controller).slice(0, 1)
      : controller.pods.items.slice(0, 1).map((pod) => note(pod, `runs an attacher for ${driver}`))),
  ];
  return {
    confidence: said ? 'likely' : 'possible',
    about: driver,
    summary: `pv/${volumeName} cannot be mounted on ${node}: CSIDriver ${driver} says attachRequired: false, so that nothing is attached${said ? ', and the driver misses that' : `, though the attacher of ${driver} has attached it before`}`,
    evidence,
    fix: [
      fix(
        'if the driver does attach its volumes, make its CSIDriver object again with attachRequired: true: the field cannot be changed',
        `kubectl get csidriver ${shellWord(driver)} -o yaml`,
        'disruptive',
      ),
      logsFix(controller, 'driver'),
    ],
  };
}

function missesAttach(use: VolumeUse, text: string): boolean {
  const isShare =
    use.volumeObject?.spec?.volumeMode !== 'Block' &&
    use.volumeObject?.spec?.accessModes?.includes('ReadWriteMany') === true;
  return wantsAttach.test(text) || (!isShare && wantsDevice.test(text) && mountSenseOf(text)?.id !== 'kernelModule');
}

/** The attacher leaves it on each volume that it attaches (external-attacher csi_handler.go addPVFinalizer). */
function attacherMark({ volumeObject }: VolumeUse, driver: string): string | undefined {
  const mark = `external-attacher/${sanitiseLeaseName(driver)}`;
  return volumeObject?.metadata.finalizers?.find((finalizer) => finalizer === mark);
}
