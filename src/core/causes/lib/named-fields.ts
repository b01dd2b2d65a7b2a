import type { Volume } from '../../kube/kinds.ts';

/** A value that an error repeats, and the field of the volume that holds it. */
export interface NamedField {
  readonly path: string;
  readonly value: string;
}

/** Written by the provisioner for itself; no user sets it. */
const ownOfProvisioner = /csiProvisionerIdentity$/;
/** Words that errors use in any case. */
const commonValues = /^(?:true|false|yes|no|none|default|\d{1,3}|rw|ro|ext[34]|xfs|nfs|file|block|mount|volume)$/i;

/** What errors can repeat of a volume: its source, its options, its secret. */
function fieldsOf(volume: Volume): NamedField[] {
  const { csi, nfs, mountOptions = [] } = volume.spec ?? {};
  const attributes = Object.entries(csi?.volumeAttributes ?? {}).filter(([key]) => !ownOfProvisioner.test(key));
  const plain: [string, string | undefined][] = [
    ['spec.csi.volumeHandle', csi?.volumeHandle],
    ...attributes.map(([key, value]): [string, string] => [`spec.csi.volumeAttributes.${key}`, value]),
    ...mountOptions.map((value): [string, string] => ['spec.mountOptions', value]),
    ['spec.csi.fsType', csi?.fsType],
    ['spec.nfs.server', nfs?.server],
    ['spec.nfs.path', nfs?.path],
    ['spec.csi.nodeStageSecretRef.name', csi?.nodeStageSecretRef?.name],
    ['spec.csi.nodePublishSecretRef.name', csi?.nodePublishSecretRef?.name],
  ];
  return plain.flatMap(([path, value]) => (value === undefined ? [] : [{ path, value }]));
}

/** The fields of a volume whose values a text contains as words of their own, the longest first. */
export function fieldsNamedIn(text: string, volume: Volume): NamedField[] {
  const seen = new Set([volume.metadata.name]);
  return fieldsOf(volume)
    .filter(({ value }) => value.length > 2 && !commonValues.test(value) && isWordOf(text, value))
    .sort((a, b) => b.value.length - a.value.length)
    .filter(({ value }) => !seen.has(value) && seen.add(value));
}

/** Not a part of a longer name. */
export function isWordOf(text: string, value: string): boolean {
  const isPart = (character: string | undefined): boolean => character !== undefined && /[\w-]/.test(character);
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!isPart(text[at - 1]) && !isPart(text[at + value.length])) return true;
  }
  return false;
}
