import type { Claim, Volume } from '../../kube/kinds.ts';
import { bytesOf } from '../../kube/quantity.ts';
import { firstUnmetRequirement } from '../../kube/selectors.ts';
import { betaClassAnnotation, resolveClass } from '../class/storage-class.ts';
import { namesClaim, volumeModeOf } from './volume-match.ts';
import type { VolumeCheck } from './volume-match.ts';

interface MissText {
  /** The field of the volume. */
  readonly path: string;
  /** Its value against what the claim requests, e.g. `5Gi < 10Gi`. */
  readonly text: string;
}

/** Where in the volume a check fails, and how: both values, in as few words as possible. */
export function describeMiss(volume: Volume, claim: Claim, check: VolumeCheck): MissText {
  const { path, text } = missTexts[check];
  return { path: typeof path === 'string' ? path : path(volume), text: text(volume, claim) };
}

interface MissDescription {
  readonly path: string | ((volume: Volume) => string);
  readonly text: (volume: Volume, claim: Claim) => string;
}

const missTexts: Readonly<Record<VolumeCheck, MissDescription>> = {
  claimed: { path: 'spec.claimRef', text: describeOwner },
  terminating: {
    path: 'metadata.deletionTimestamp',
    text: ({ metadata }) => `${metadata.deletionTimestamp ?? 'set'} (being deleted)`,
  },
  phase: { path: 'status.phase', text: ({ status }) => `${status?.phase ?? 'not set'}, not Available` },
  class: {
    path: (volume) =>
      resolveClass(volume).source === 'annotation'
        ? `metadata.annotations[${betaClassAnnotation}]`
        : 'spec.storageClassName',
    text: (volume, claim) => `${quoted(resolveClass(volume).name)}, the claim has ${quoted(resolveClass(claim).name)}`,
  },
  volumeMode: {
    path: 'spec.volumeMode',
    text: (volume, claim) => `${volumeModeOf(volume)}, the claim asks for ${volumeModeOf(claim)}`,
  },
  accessModes: {
    path: 'spec.accessModes',
    text: (volume, claim) =>
      `${(volume.spec?.accessModes ?? []).join(', ') || 'none'}, without ${missingModes(volume, claim).join(', ')}`,
  },
  capacity: {
    path: 'spec.capacity.storage',
    text: (volume, claim) =>
      `${volume.spec?.capacity?.['storage'] ?? 'not set'} < ${claim.spec?.resources?.requests?.['storage'] ?? '0'}`,
  },
  attributesClass: {
    path: 'spec.volumeAttributesClassName',
    text: (volume, claim) =>
      `${quoted(volume.spec?.volumeAttributesClassName)}, the claim has ${quoted(claim.spec?.volumeAttributesClassName)}`,
  },
  selector: {
    path: 'metadata.labels',
    text: (volume, claim) =>
      `${labelsText(volume)}, does not meet ${firstUnmetRequirement(claim.spec?.selector, volume.metadata.labels) ?? 'the selector'}`,
  },
  nodeAffinity: { path: 'spec.nodeAffinity', text: () => 'does not admit the node' },
};

/** All labels of a volume, as `kubectl get --show-labels` prints them. */
function labelsText({ metadata: { labels = {} } }: Volume): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? 'none' : pairs.join(', ');
}

function describeOwner(volume: Volume, claim: Claim): string {
  const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
  const uids = namesClaim(volume, claim) ? `, uid ${uid ?? 'not set'}, not ${claim.metadata.uid ?? 'this one'}` : '';
  return `${namespace}/${name}${uids} (${volume.status?.phase ?? 'no phase'})`;
}

export function missingModes(volume: Volume, claim: Claim): string[] {
  const offered = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).filter((mode) => !offered.includes(mode));
}

function quoted(name: string | undefined): string {
  return name || '""';
}

/** Completes "The volume …": what it has, and what the claim requests instead. */
export function missClause(volume: Volume, claim: Claim, check: VolumeCheck): string {
  switch (check) {
    case 'capacity':
      return sizeClause(volume.spec?.capacity?.['storage'], claim.spec?.resources?.requests?.['storage']);
    case 'class':
      return `has ${classClause(resolveClass(volume).name)}, and the claim has ${classClause(resolveClass(claim).name)}`;
    case 'volumeMode':
      return `has volumeMode ${volumeModeOf(volume)}, and the claim asks for ${volumeModeOf(claim)}`;
    case 'accessModes':
      return (
        `offers ${(volume.spec?.accessModes ?? []).join(', ') || 'no access mode'}, and the claim asks for ` +
        `${missingModes(volume, claim).join(', ')}`
      );
    case 'attributesClass':
      return `has ${attributesClause(volume)}, and the claim has ${attributesClause(claim)}`;
    case 'selector':
      return (
        'does not have the labels that the claim selects ' +
        `(${firstUnmetRequirement(claim.spec?.selector, volume.metadata.labels) ?? 'its selector'})`
      );
    case 'terminating':
      return 'is being deleted';
    case 'phase':
      return `is in phase ${volume.status?.phase ?? 'not set'}, not Available`;
    default:
      return (
        `is ${volume.status?.phase ?? 'reserved'} and belongs to ` +
        `${volume.spec?.claimRef?.namespace ?? ''}/${volume.spec?.claimRef?.name ?? ''}`
      );
  }
}

function classClause(name: string): string {
  return name === '' ? 'no class' : `class "${name}"`;
}

function attributesClause({ spec }: Claim | Volume): string {
  return spec?.volumeAttributesClassName
    ? `VolumeAttributesClass "${spec.volumeAttributesClassName}"`
    : 'no VolumeAttributesClass';
}

/** `has 100G, and the claim asks for 100Gi (107.4G)`: the sizes in one unit if they differ. */
function sizeClause(capacity: string | undefined, request = '0'): string {
  if (capacity === undefined) return `states no size, which counts as 0, and the claim asks for ${request}`;
  const isMixed = /i$/.test(capacity) !== /i$/.test(request);
  const same = isMixed ? ` (${inUnitOf(capacity, bytesOf(request))})` : '';
  return `has ${capacity}, and the claim asks for ${request}${same}`;
}

const unitBytes: Readonly<Record<string, number>> = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
};

function inUnitOf(quantity: string, bytes: bigint): string {
  const unit = /[A-Za-z]+$/.exec(quantity)?.[0] ?? '';
  const size = unitBytes[unit];
  return size === undefined ? `${bytes} bytes` : `${Number((Number(bytes) / size).toFixed(1))}${unit}`;
}
