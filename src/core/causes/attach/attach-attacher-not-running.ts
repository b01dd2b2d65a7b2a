import type { Evidence } from '../../report/report.ts';
import { ageText } from '../../kube/time.ts';
import { field } from '../../facts/evidence.ts';
import { accountForbiddenText } from '../lib/driver-error/senses/kubernetes.ts';
import { grantFix } from '../lib/grant.ts';
import { startUnseen } from '../../facts/driver/controller-health.ts';
import type { Explanation } from '../lib/rule.ts';
import { attachmentEvidence, attachRules, someEvidence, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { attacherTraces, deadText, isTouched, missingLease, unprovenText } from './attacher-health.ts';
import { silenceOf, silenceSeconds } from './attacher-silence.ts';
import type { AttacherSilence } from './attacher-silence.ts';

/** csi_attacher.go waits two minutes for the attacher to set status.attached; the attacher itself writes no event. */
export const attachAttacherNotRunning = attachRules('attach-attacher-not-running', 'blocking', (trouble) => {
  const silence = silenceOf(trouble);
  if (!silence) return undefined;
  const { driver, health, said } = silence;
  if (health.state !== 'dead') return explainSilence(trouble, silence);
  const refused = health.evidence.map(({ value = '' }) => value).find((value) => accountForbiddenText.test(value));
  return {
    about: driver,
    summary: `${deadText(driver, health)}${refused === undefined ? '' : ' The API server refuses its service account a right.'} ${trouble.lead}.`,
    evidence: [...health.evidence, ...attachmentEvidence(trouble), ...untouched(trouble), ...said],
    fix:
      refused === undefined
        ? health.fix
        : [grantFix(refused, driver, 'The container then starts after its back-off, within 5 minutes.'), ...health.fix],
  };
});

/** An attacher puts its finalizer on an attachment before anything else: without it the attacher has never seen it. */
function untouched({ attachment }: AttachTrouble): Evidence[] {
  return attachment.state === 'found' && !isTouched(attachment.object.metadata)
    ? [field(attachment.object, 'metadata.finalizers', 'none of an attacher')]
    : [];
}

/** No attacher was found, or its lease and pods could not be read: the untouched attachment is the only evidence. */
function explainSilence(trouble: AttachTrouble, silence: AttacherSilence): Explanation | undefined {
  const { driver, health, said } = silence;
  if (health.state === 'dead') return undefined;
  const traces = attacherTraces(trouble.ask, driver, volumeObjectOf(trouble));
  if (!isUnanswered(trouble, silence, traces)) return undefined;
  const evidence = someEvidence([...attachmentEvidence(trouble), ...said, ...missingLease(health), ...traces]);
  if (!evidence) return undefined;
  return {
    confidence: health.state === 'absent' || said.length > 0 ? 'likely' : 'possible',
    about: driver,
    summary:
      `No attacher of ${driver} has touched the VolumeAttachment${waitedWords(trouble)}, and ` +
      `${unprovenText(health)}. ${trouble.lead}.`,
    evidence,
    fix: [startUnseen(`the attacher of ${driver}`)],
  };
}

function isUnanswered(trouble: AttachTrouble, silence: AttacherSilence, traces: readonly Evidence[]): boolean {
  const { attachment, ask, waitedSeconds, error } = trouble;
  const { driver, health } = silence;
  if (health.state === 'alive' || waitedSeconds < silenceSeconds || error?.from === 'object') return false;
  const isAbsent = health.state === 'absent';
  if (isAbsent && traces.length === 0) return false;
  if (!isAbsent && attachment.state === 'found' && isTouched(attachment.object.metadata)) return false;
  const driverObject = ask.get('CSIDriver', undefined, driver, `whether ${driver} attaches its volumes`);
  return isAbsent || driverObject.state !== 'missing';
}

function waitedWords({ waitedSeconds, ask }: AttachTrouble): string {
  return Number.isFinite(waitedSeconds) ? ` in ${ageText(ask.now - waitedSeconds * 1000, ask.now)}` : '';
}
