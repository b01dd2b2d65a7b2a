import type { Attachment } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { fileOf } from '../lib/steps.ts';

/** With its group: Longhorn has a kind of the same name. */
const type = 'volumeattachments.storage.k8s.io';

/**
 * `kubectl VERB volumeattachments.storage.k8s.io NAME MORE`. `more` is put at the end as it is: quote what comes from a
 * cluster.
 */
export function onAttachment(verb: string, { metadata: { name } }: Attachment, more = ''): string {
  return `kubectl ${verb} ${type} ${shellWord(name)}${more === '' ? '' : ` ${more}`}`;
}

export function saveAttachment(attachment: Attachment): string {
  return onAttachment('get', attachment, `-o yaml > ${shellWord(fileOf(attachment))}`);
}

/** Waits until the attacher has detached the volume and the attachment is gone. */
export function awaitDetach({ metadata: { name } }: Attachment, timeout = '5m'): string {
  return `kubectl wait --for=delete ${shellWord(`${type}/${name}`)} --timeout=${timeout}`;
}

/** Removes the finalizer of the attacher, and no other: the patch fails if the list has changed. */
export function dropAttacherFinalizer(attachment: Attachment): string | undefined {
  const { finalizers = [] } = attachment.metadata;
  const index = finalizers.findIndex((finalizer) => finalizer.startsWith('external-attacher/'));
  if (index < 0) return undefined;
  const path = `/metadata/finalizers/${index}`;
  const patch = [
    { op: 'test', path, value: finalizers[index] },
    { op: 'remove', path },
  ];
  return onAttachment('patch', attachment, `--type=json -p ${shellWord(JSON.stringify(patch))}`);
}
