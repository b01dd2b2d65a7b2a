import { open, passed } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ObjectCase } from './object-case.ts';

/** The volume is attached to the node, or is gone from it when it should be. */
export function assessAttachment(a: ObjectCase<'VolumeAttachment'>): Assessment {
  const { metadata, spec, status } = a.object;
  const where = `pv/${spec?.source?.persistentVolumeName ?? '(inline)'} on ${spec?.nodeName ?? 'no node'}`;
  if (a.isTerminating) return open(`${where} is being detached`, metadata.deletionTimestamp, 120);
  const node = spec?.nodeName === undefined ? undefined : a.ask.get('Node', undefined, spec.nodeName, `whether node ${spec.nodeName} still exists`);
  if (node?.state === 'missing') return open(`${where}: the node is gone`, metadata.creationTimestamp, 0);
  return status?.attached === true ? passed(`${where} is attached`) : open(`${where} is not attached yet`, metadata.creationTimestamp, 135);
}
