import type { AnyObject, Attachment, KubeEvent } from '../../kube/kinds.ts';
import { ageText } from '../../kube/time.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { quoteWords } from '../../causes/lib/driver-error/quote.ts';
import type { Trace } from './owner.ts';

/** What the latest event about an object reports; the absence of events is also informative. */
export function traceOf(object: AnyObject, events: readonly KubeEvent[], now: number): Trace {
  const names = [object.metadata.name];
  const last = [...events].sort((a, b) => lastSeen(a) - lastSeen(b)).at(-1);
  if (!last) return { progress: ['No event was recorded about it.'], evidence: [], names };
  return {
    progress: [`The last event, ${ageText(lastSeen(last), now)} ago, is ${quoteWords(messageOf(last))}.`],
    evidence: [eventSaid(object, last)],
    names,
  };
}

/** The attacher adds its finalizer before it calls the driver, and writes the answer into the status. */
export function traceOfAttachment(attachment: Attachment): Trace {
  const { metadata, spec, status } = attachment;
  const finalizers = metadata.finalizers ?? [];
  const error = status?.attachError?.message ?? status?.detachError?.message;
  const touched =
    finalizers.length > 0
      ? `It has added its finalizer (${finalizers.join(', ')})`
      : 'It has not touched the VolumeAttachment: there is no finalizer';
  return {
    progress: [
      error === undefined
        ? `${touched} and has reported neither success nor an error.`
        : `${touched} and reports ${quoteWords(error)}.`,
    ],
    evidence: [field(attachment, 'status.attached'), field(attachment, 'metadata.finalizers')],
    names: [metadata.name, spec?.source?.persistentVolumeName ?? ''],
  };
}
