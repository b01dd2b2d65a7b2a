import type { Confidence } from '../../report/report.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/**
 * How sure it is that no VolumeAttachment was created for the volume while no other node holds it; undefined if there
 * is one, or if that is not known. A dump without a single attachment was most likely taken where there was none.
 */
export function confidenceThatUnmade({ ask, attachment, use, error }: AttachTrouble): Confidence | undefined {
  if (!use || use.needsAttach !== true || error) return undefined;
  if (attachment.state === 'missing')
    return use.isExclusive && use.otherAttachments.items.length > 0 ? undefined : 'certain';
  const observed = ask.graph.coverage.of('VolumeAttachment', {});
  return attachment.state === 'unknown' &&
    observed.state === 'unread' &&
    observed.message !== undefined &&
    ask.seen('VolumeAttachment').length === 0
    ? 'likely'
    : undefined;
}
