import { logsFix } from '../../facts/driver/drivers.ts';
import type { Evidence } from '../../report/report.ts';
import { ageText } from '../../kube/time.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { nearestName } from '../../kube/names.ts';
import { attachmentEvidence, attachRules } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { attacherHealth, attacherTraces, isTouched, missingLease } from './attacher-health.ts';
import type { AttacherHealth } from './attacher-health.ts';
import { saysNoAnswer, unansweredDriver } from './error-texts.ts';

const startSeconds = 20;
const silenceSeconds = 120;

interface Silence {
  readonly driver: string;
  readonly health: AttacherHealth;
  /** The controller says that it waited for the attacher in vain. */
  readonly said: readonly Evidence[];
}

/** An attachment that nobody has worked on, or a complaint of the controller that nobody does. */
function silenceOf({ ask, driver, attachment, error, waitedSeconds }: AttachTrouble): Silence | undefined {
  const isSaid = error !== undefined && saysNoAnswer(error);
  const name = driver ?? (error && unansweredDriver(error));
  if (name === undefined || (attachment.state !== 'found' && !isSaid)) return undefined;
  if (
    attachment.state === 'found' &&
    (attachment.object.metadata.deletionTimestamp !== undefined || attachment.object.status?.attached === true)
  )
    return undefined;
  if (waitedSeconds < startSeconds) return undefined;
  return { driver: name, health: attacherHealth(ask, name), said: isSaid ? [error.evidence] : [] };
}

/** csi_attacher.go waits two minutes for someone else to set status.attached; the attacher itself writes no event. */
export const attachAttacherNotRunning = attachRules('attach-attacher-not-running', 'blocking', (trouble) => {
  const silence = silenceOf(trouble);
  if (!silence) return undefined;
  const { driver, health, said } = silence;
  if (health.state === 'dead') {
    return {
      about: driver,
      summary: `${trouble.lead}: the attacher of ${driver} ${health.words}`,
      evidence: [...health.evidence, ...attachmentEvidence(trouble), ...said] as unknown as Explanation['evidence'],
      fix: health.fix,
    };
  }
  return explainSilence(trouble, silence);
});

/** Nobody finds an attacher, or nobody may look: only its silence tells. */
function explainSilence(trouble: AttachTrouble, { driver, health, said }: Silence): Explanation | undefined {
  const { attachment, ask, volume, waitedSeconds, error } = trouble;
  if (health.state === 'alive' || waitedSeconds < silenceSeconds || error?.from === 'object') return undefined;
  const traces = attacherTraces(ask, driver, volume?.state === 'found' ? volume.object : undefined);
  const isAbsent = health.state === 'absent';
  if (isAbsent && traces.length === 0) return undefined;
  if (!isAbsent && attachment.state === 'found' && isTouched(attachment.object.metadata)) return undefined;
  const object = ask.get('CSIDriver', undefined, driver, `whether ${driver} attaches its volumes`);
  if (!isAbsent && object.state === 'missing') return undefined;
  const waited = Number.isFinite(waitedSeconds) ? ` in ${ageText(ask.now - waitedSeconds * 1000, ask.now)}` : '';
  return {
    confidence: isAbsent || said.length > 0 ? 'likely' : 'possible',
    about: driver,
    summary: `${trouble.lead}: no attacher of ${driver} has touched it${waited}${isAbsent ? ', and none was found running' : `, and whether one runs could not be read (lease ${health.controller.lease.name})`}`,
    evidence: [
      ...attachmentEvidence(trouble),
      ...said,
      ...missingLease(health),
      ...traces,
    ] as unknown as Explanation['evidence'],
    fix: [
      fix(
        `find the controller of ${driver} with its csi-attacher, and start it`,
        'kubectl get deploy,sts,ds -A | grep -i csi',
      ),
      logsFix(health.controller),
    ],
  };
}

/** csi_plugin.go skipAttach: without a CSIDriver object, or without attachRequired: false in it, an attacher is waited for. */
export const attachAttachRequiredWrong = attachRules('attach-attachrequired-wrong', 'blocking', (trouble) => {
  const silence = silenceOf(trouble);
  const { ask, attachment, volume, waitedSeconds, lead, error } = trouble;
  if (!silence || waitedSeconds < silenceSeconds || error?.from === 'object') return undefined;
  const { driver, health, said } = silence;
  if (
    health.state === 'alive' ||
    health.state === 'dead' ||
    (attachment.state === 'found' && isTouched(attachment.object.metadata))
  )
    return undefined;
  const object = ask.get('CSIDriver', undefined, driver, `whether ${driver} attaches its volumes`);
  const isAbsent = health.state === 'absent';
  // Where nobody could look for an attacher, only the missing object speaks.
  if (object.state === 'unknown' || (!isAbsent && object.state !== 'missing')) return undefined;
  if (attacherTraces(ask, driver, volume?.state === 'found' ? volume.object : undefined).length > 0) return undefined;
  const near =
    object.state === 'missing'
      ? nearestName(
          driver,
          ask.seen('CSIDriver').map(({ metadata }) => metadata.name),
        )
      : undefined;
  const nearObject = near === undefined ? undefined : ask.graph.find('CSIDriver', undefined, near);
  const why =
    object.state === 'missing'
      ? `there is no CSIDriver object ${driver}, so that an attach is taken to be needed`
      : `CSIDriver ${driver} says that an attach is needed`;
  const evidence: readonly Evidence[] = [
    object.state === 'missing'
      ? absent('CSIDriver', driver)
      : field(object.object, 'spec.attachRequired', object.object.spec?.attachRequired ?? true),
    ...(nearObject
      ? [
          note(
            nearObject,
            `a driver object of a like name, attachRequired ${String(nearObject.spec?.attachRequired ?? true)}`,
          ),
        ]
      : []),
    ...missingLease(health),
    ...attachmentEvidence(trouble),
    ...said,
  ];
  return {
    confidence: isAbsent ? 'certain' : 'likely',
    about: driver,
    summary: `${lead}: ${why}, but no attacher of it ${isAbsent ? 'is deployed' : 'answers'}${near ? `; there is a CSIDriver object ${near}` : ''}`,
    evidence: evidence as Explanation['evidence'],
    fix: [
      ...(near
        ? [
            fix(
              `if ${driver} and ${near} are meant to be one, give the CSIDriver object the very name that the driver reports`,
              `kubectl get csidriver ${shellWord(near)} -o yaml`,
            ),
          ]
        : []),
      object.state === 'missing'
        ? fix(
            'make the CSIDriver object from the manifests of the driver; a driver that attaches nothing has attachRequired: false there',
            'kubectl get csidrivers',
          )
        : fix(
            'if the driver attaches nothing, make its CSIDriver object again with attachRequired: false: the field cannot be changed',
            `kubectl get csidriver ${shellWord(driver)} -o yaml`,
            'disruptive',
          ),
      fix('if the driver does attach, deploy the external-attacher beside its controller', undefined),
    ],
  };
});
