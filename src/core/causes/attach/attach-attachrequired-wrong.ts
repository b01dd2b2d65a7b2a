import type { CsiDriver } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { nearestName } from '../../kube/names.ts';
import { attachmentEvidence, attachRules, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { attacherTraces, isTouched, missingLease } from './attacher-health.ts';
import { silenceOf, silenceSeconds } from './attacher-silence.ts';
import type { AttacherSilence } from './attacher-silence.ts';

/** A driver without any attacher, whose CSIDriver object asks for one or does not exist. */
interface Unattended extends AttacherSilence {
  /** Undefined: it does not exist. */
  readonly object: CsiDriver | undefined;
  /** An existing CSIDriver object with a similar name, if the driver has none. */
  readonly near: string | undefined;
  /** Every place where an attacher could run was read, and there is none. */
  readonly isAbsent: boolean;
}

/**
 * csi_plugin.go skipAttach: without a CSIDriver object, or without attachRequired: false in it, an attacher is waited
 * for.
 */
export const attachAttachRequiredWrong = attachRules('attach-attachrequired-wrong', 'blocking', (trouble) => {
  const found = findUnattended(trouble);
  if (!found) return undefined;
  const { driver, object, near, isAbsent } = found;
  const why = object
    ? `CSIDriver ${driver} says that an attach is needed`
    : `there is no CSIDriver object ${driver}, so that an attach is taken to be needed`;
  return {
    confidence: isAbsent ? 'certain' : 'likely',
    about: driver,
    summary: `${trouble.lead}: ${why}, but no attacher of it ${isAbsent ? 'is deployed' : 'answers'}${near ? `; there is a CSIDriver object ${near}` : ''}`,
    evidence: evidenceOf(trouble, found),
    fix: fixesFor(found),
  };
});

function findUnattended(trouble: AttachTrouble): Unattended | undefined {
  const { ask, attachment, waitedSeconds, error } = trouble;
  const silence = silenceOf(trouble);
  if (!silence || waitedSeconds < silenceSeconds || error?.from === 'object') return undefined;
  const { driver, health } = silence;
  if (
    health.state === 'alive' ||
    health.state === 'dead' ||
    (attachment.state === 'found' && isTouched(attachment.object.metadata))
  )
    return undefined;
  const lookup = ask.get('CSIDriver', undefined, driver, `whether ${driver} attaches its volumes`);
  const isAbsent = health.state === 'absent';
  // Where the attacher could not be looked for, only a missing CSIDriver object proves the cause.
  if (lookup.state === 'unknown' || (!isAbsent && lookup.state !== 'missing')) return undefined;
  if (attacherTraces(ask, driver, volumeObjectOf(trouble)).length > 0) return undefined;
  if (lookup.state === 'found') return { ...silence, object: lookup.object, near: undefined, isAbsent };
  const names = ask.seen('CSIDriver').map(({ metadata }) => metadata.name);
  return { ...silence, object: undefined, near: nearestName(driver, names), isAbsent };
}

function evidenceOf(
  trouble: AttachTrouble,
  { driver, health, said, object, near }: Unattended,
): Explanation['evidence'] {
  const nearObject = near === undefined ? undefined : trouble.ask.graph.find('CSIDriver', undefined, near);
  return [
    object ? attachRequiredOf(object) : absent('CSIDriver', driver),
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
}

function attachRequiredOf(object: CsiDriver): Evidence {
  return field(object, 'spec.attachRequired', object.spec?.attachRequired ?? true);
}

function fixesFor({ driver, object, near }: Unattended): Fix[] {
  return [
    ...(near
      ? [
          fix(
            `if ${driver} and ${near} are meant to be one, give the CSIDriver object the very name that the driver reports`,
            `kubectl get csidriver ${shellWord(near)} -o yaml`,
          ),
        ]
      : []),
    object
      ? fix(
          'if the driver attaches nothing, make its CSIDriver object again with attachRequired: false: the field cannot be changed',
          `kubectl get csidriver ${shellWord(driver)} -o yaml`,
          'disruptive',
        )
      : fix(
          'make the CSIDriver object from the manifests of the driver; a driver that attaches nothing has attachRequired: false there',
          'kubectl get csidrivers',
        ),
    fix('if the driver does attach, deploy the external-attacher beside its controller', undefined),
  ];
}
