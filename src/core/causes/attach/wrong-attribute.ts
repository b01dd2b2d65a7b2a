import { resolveClass } from '../../facts/class/storage-class.ts';
import { field } from '../../facts/evidence.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Claim, Pod, StorageClass, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { wantedValueIn } from '../lib/driver-error/senses/nodes.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { createCommand, kubectl, patchCommand, steps } from '../lib/steps.ts';
import { volumeObjectOf } from './attach-trouble.ts';
import type { AttachError } from './attach-error.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** A setting of the volume that the storage does not accept on this machine: its attributes cannot be changed. */
export interface WrongAttribute {
  readonly volume: Volume;
  readonly key: string;
  readonly value: string;
  /** The value that the words ask for. */
  readonly wanted: string;
}

/** `attachment type is not paravirtualized` names the attribute "attachment-type", and the value that it should have. */
export function wrongAttributeIn(trouble: AttachTrouble, { words }: AttachError): WrongAttribute | undefined {
  const volume = volumeObjectOf(trouble);
  if (!volume) return undefined;
  for (const [key, value] of Object.entries(volume.spec?.csi?.volumeAttributes ?? {})) {
    const spoken = spokenForm(key);
    if (spoken === undefined) continue;
    const wanted = wantedValueIn(words, spoken);
    if (wanted !== undefined && wanted.toLowerCase() !== value.toLowerCase()) return { volume, key, value, wanted };
  }
  return undefined;
}

/** The words of a key as a sentence has them; a key of one common word is in many sentences by chance. */
function spokenForm(key: string): string | undefined {
  const parts = key
    .slice(key.lastIndexOf('/') + 1)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
  return parts.join('').length > 6 ? parts.join('[ _-]?') : undefined;
}

export function wrongAttributeText({ key, value, wanted }: WrongAttribute): string {
  return ` The volume was created with ${key} "${value}", and this machine needs "${wanted}". What a volume was created with cannot be changed.`;
}

function classOf({ ask }: AttachTrouble, { spec }: Volume): StorageClass | undefined {
  const name = spec?.storageClassName ?? '';
  return name === '' ? undefined : ask.graph.find('StorageClass', undefined, name);
}

export function wrongAttributeEvidence(trouble: AttachTrouble, { volume, key, value }: WrongAttribute): Evidence[] {
  const storageClass = classOf(trouble, volume);
  return [
    field(volume, `spec.csi.volumeAttributes.${key}`, value),
    ...(storageClass ? [field(storageClass, `parameters.${key}`, storageClass.parameters?.[key] ?? 'not set')] : []),
  ];
}

/** A new class for new volumes, and the claim again with it; the old volume is kept. */
export function wrongAttributeFixes(trouble: AttachTrouble, wrong: WrongAttribute): Fix[] {
  const { volume, key, wanted } = wrong;
  const storageClass = classOf(trouble, volume);
  const claim = trouble.use?.claim?.claim;
  const pod = trouble.use?.p.pod;
  if (!storageClass || !claim || !pod || resolveClass(claim).name !== storageClass.metadata.name)
    return [
      steps(
        `Create a StorageClass with ${key}: ${wanted}, and a new volume of it; move the data, if the volume holds any. ` +
          `Volumes that exist keep their ${key}.`,
        [],
      ),
    ];
  const name = `${storageClass.metadata.name}-${wanted.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  return [
    steps(
      `Create StorageClass "${name}" with ${key}: ${wanted}, for volumes on such machines, and set it in the chart or ` +
        'template that creates the claim.',
      [createCommand(classManifest(storageClass, name, { [key]: wanted }))],
    ),
    remakeFix(claim, pod, volume, name),
  ];
}

function classManifest(old: StorageClass, name: string, change: Readonly<Record<string, string>>): object {
  const {
    provisioner,
    parameters = {},
    reclaimPolicy,
    volumeBindingMode,
    allowVolumeExpansion,
    mountOptions,
    allowedTopologies,
  } = old;
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner,
    parameters: { ...parameters, ...change },
    ...(reclaimPolicy !== undefined && { reclaimPolicy }),
    ...(volumeBindingMode !== undefined && { volumeBindingMode }),
    ...(allowVolumeExpansion !== undefined && { allowVolumeExpansion }),
    ...(mountOptions !== undefined && { mountOptions }),
    ...(allowedTopologies !== undefined && { allowedTopologies }),
  };
}

function remakeFix(claim: Claim, pod: Pod, volume: Volume, className: string): Fix {
  const { stop, start } = stopCommands(pod);
  return steps(
    `Recreate pvc/${claim.metadata.name} with that class. The new volume is empty: if pv/${volume.metadata.name} has ` +
      'been used before, copy its data first; it is kept (Retain), also where it is new and holds nothing. The pod then starts.',
    [
      patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
      ...stop,
      ...recreateCommands(claim, { spec: { storageClassName: className, volumeName: null } }),
      ...start,
    ],
    'data-loss',
  );
}

/** A claim goes only when no scheduled pod uses it; a StatefulSet would recreate pod and claim at once. */
function stopCommands(pod: Pod): { readonly stop: string[]; readonly start: string[] } {
  const owner = ownerOf(pod);
  const { namespace, name } = pod.metadata;
  const restart = restartPodCommands(pod);
  if (!owner) return { stop: restart.slice(0, 2), start: restart.slice(2) };
  if (owner.kind !== 'StatefulSet' && owner.kind !== 'Deployment') return { stop: restart, start: [] };
  const metadata = { name: owner.name, ...(namespace !== undefined && { namespace }) };
  const index = owner.kind === 'StatefulSet' ? Number(/-(\d+)$/.exec(name)?.[1] ?? 0) : 0;
  const { kind } = owner;
  const scale = (replicas: number): string => kubectl('scale', { kind, metadata }, `--replicas=${replicas}`);
  return { stop: [scale(index)], start: [scale(index + 1)] };
}
