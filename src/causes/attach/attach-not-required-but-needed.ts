import { findController, logsFix } from '../../graph/drivers.ts';
import { messageOf } from '../../graph/events.ts';
import type { Evidence } from '../../model/report.ts';
import { eventSaid, field, fix, note, shellWord } from '../../journey/evidence.ts';
import { hasMountedVolumes } from '../../journey/pod-state.ts';
import { podRule } from '../../journey/rule.ts';
import { volumeUsesOf } from '../../journey/volume-use.ts';
import type { VolumeUse } from '../../journey/volume-use.ts';
import { firstOf } from './attach-trouble.ts';
import { leaseEvidence } from '../../journey/controller-health.ts';

const mountFailed = ['FailedMount', 'FailedMapVolume'];
/** A node plugin that misses what only ControllerPublishVolume could have done. */
const wantsAttach = /ControllerPublish\w*|publish ?_?context|not (?:been )?(?:attached|published)|is not attached|must be attached|device ?path.{0,40}(?:not found|missing|empty)|(?:no such device|(?:could not|couldn't|cannot|failed to) find (?:the )?(?:attached )?(?:device|disk))|(?:block )?device .{0,60}not found/i;

/** csi_plugin.go skipAttach: with attachRequired: false no attachment is made, whatever the driver needs. */
export const attachNotRequiredButNeeded = podRule({
  cause: 'attach-not-required-but-needed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    if (!p.isScheduled || hasMountedVolumes(p.pod)) return undefined;
    return firstOf(volumeUsesOf(p).filter((use) => !use.isInline && use.volumeObject?.spec?.csi !== undefined && use.needsAttach === false), explainUse);
  },
});

function explainUse(use: VolumeUse): ReturnType<(typeof attachNotRequiredButNeeded)['explain']> {
  const { driver, ask, volumeName, node, p } = use;
  const object = driver === undefined ? undefined : ask.get('CSIDriver', undefined, driver);
  if (driver === undefined || object?.state !== 'found') return undefined;
  const said = p.events.items.filter(({ reason }) => mountFailed.includes(reason ?? '')).filter((event) => messageOf(event).includes(`"${volumeName}"`)).findLast((event) => wantsAttach.test(messageOf(event)));
  const controller = findController(ask, driver, 'attacher');
  const attacher = controller.lease.object ?? controller.pods.items[0];
  if (!said && (!attacher || p.ageSeconds < 123)) return undefined;
  const evidence: [Evidence, ...Evidence[]] = [
    field(object.object, 'spec.attachRequired', false),
    ...(said ? [eventSaid(p.pod, said)] : []),
    ...(controller.lease.object ? leaseEvidence(controller).slice(0, 1) : controller.pods.items.slice(0, 1).map((pod) => note(pod, `runs an attacher for ${driver}`))),
  ];
  return {
    confidence: said ? 'likely' : 'possible',
    about: driver,
    summary: `pv/${volumeName} cannot be mounted on ${node}: CSIDriver ${driver} says attachRequired: false, so that nothing is attached${said ? ', and the driver misses that' : `, though ${driver} comes with an attacher`}`,
    evidence,
    fix: [
      fix('if the driver does attach its volumes, make its CSIDriver object again with attachRequired: true: the field cannot be changed', `kubectl get csidriver ${shellWord(driver)} -o yaml`, 'disruptive'),
      logsFix(controller, 'driver'),
    ],
  };
}
