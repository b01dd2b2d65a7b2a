import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { lastSeen, messageOf, newestMatch } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { attachmentName } from '../../kube/names.ts';
import type { Evidence } from '../../report/report.ts';
import { csiNodeMissingText } from '../lib/driver-error/senses/kubernetes.ts';
import { unregisteredTexts } from '../lib/driver-error/sentences/registration.ts';

/** A report that the registration is missing: of the kubelet in an event, or of the attacher in an attachment. */
export interface RegistrationError {
  readonly kind: 'unregistered' | 'noCsiNode';
  readonly evidence: Evidence;
}

export interface ReportedError {
  readonly error: RegistrationError;
  /** The driver that the message names. */
  readonly driver: string | undefined;
}

const failureReasons = ['FailedMount', 'FailedMapVolume', 'FailedAttachVolume'];
/** An error that was reported longer before the last failure than this is over. */
const freshMs = 300_000;

export function readRegistrationError(message: string, evidence: () => Evidence): RegistrationError | undefined {
  if (unregisteredTexts.test(message)) return { kind: 'unregistered', evidence: evidence() };
  return csiNodeMissingText.test(message) ? { kind: 'noCsiNode', evidence: evidence() } : undefined;
}

export function findReportedError(p: PodCase, node: string): ReportedError | undefined {
  return findEventError(p) ?? findAttachmentError(p, node);
}

function findEventError(p: PodCase): ReportedError | undefined {
  const event = findFreshEvent(p);
  const message = event ? messageOf(event) : '';
  const error = event && readRegistrationError(message, () => eventSaid(p.pod, event));
  return error && { error, driver: driverIn(message) };
}

function findFreshEvent(p: PodCase): KubeEvent | undefined {
  const last = newestMatch(p.events.items, failureReasons, /^/)?.event;
  const match =
    newestMatch(p.events.items, failureReasons, unregisteredTexts) ??
    newestMatch(p.events.items, failureReasons, csiNodeMissingText);
  return last && match && lastSeen(match.event) >= lastSeen(last) - freshMs ? match.event : undefined;
}

function findAttachmentError(p: PodCase, node: string): ReportedError | undefined {
  for (const { volume } of p.claims) {
    const csi = volume?.state === 'found' ? volume.object.spec?.csi : undefined;
    if (!csi?.driver || !csi.volumeHandle) continue;
    const name = attachmentName(csi.volumeHandle, csi.driver, node);
    const attachment = p.ask.graph.find('VolumeAttachment', undefined, name);
    const message = attachment?.status?.attachError?.message ?? '';
    const error =
      attachment && readRegistrationError(message, () => field(attachment, 'status.attachError.message', message));
    if (error) return { error, driver: driverIn(message) };
  }
  return undefined;
}

function driverIn(message: string): string | undefined {
  const match = unregisteredTexts.exec(message);
  return match?.[1] ?? match?.[3];
}
