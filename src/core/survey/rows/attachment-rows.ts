import type { Attachment } from '../../kube/kinds.ts';
import type { AttachmentRow, ObjectName } from '../../report/rows.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { stateOfAttachment } from '../status/status-counts.ts';
import { rowBase, rowPod } from './row-base.ts';
import type { RowDesk } from './row-base.ts';
import { attachmentError } from './volume-attachments.ts';

export function attachmentRow(desk: RowDesk, attachment: Attachment): AttachmentRow {
  const { spec, status } = attachment;
  const unknown: string[] = [];
  const volume = spec?.source?.persistentVolumeName;
  const claim = volume === undefined ? undefined : claimOf(desk, volume, unknown);
  const node = spec?.nodeName ?? '';
  const error = attachmentError(attachment);
  const pods = claim === undefined ? [] : podsOn(desk, claim, node, unknown);
  return {
    ...rowBase(attachment, unknown),
    state: stateOfAttachment(attachment),
    isAttached: status?.attached === true,
    ...(volume !== undefined && { volume }),
    isInline: volume === undefined && spec?.source?.inlineVolumeSpec !== undefined,
    ...(claim && { claim }),
    node,
    driver: spec?.attacher ?? '',
    pods: pods.map(rowPod),
    ...(error && { error: error.message, ...(error.time !== undefined && { errorAt: error.time }) }),
  };
}

function claimOf({ ask }: RowDesk, volume: string, unknown: string[]): ObjectName | undefined {
  const lookup = ask.get('PersistentVolume', undefined, volume, 'which claims the attached volumes belong to');
  if (lookup.state === 'unknown') unknown.push('claim', 'pods');
  const { namespace, name } = (lookup.state === 'found' ? lookup.object.spec?.claimRef : undefined) ?? {};
  return name ? { ...(namespace !== undefined && { namespace }), name } : undefined;
}

function podsOn({ ask }: RowDesk, claim: ObjectName, node: string, unknown: string[]) {
  const { items, complete } = ask.podsUsing({ namespace: claim.namespace ?? '', name: claim.name });
  if (!complete) unknown.push('pods');
  return items.filter((pod) => pod.spec?.nodeName === node && !isTerminated(pod));
}
