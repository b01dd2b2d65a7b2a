import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { firstUnmetRequirement } from '../../kube/selectors.ts';
import { volumesNaming, volumesOfClass } from '../claim/claim-case.ts';
import type { PresentClaim } from '../claim/claim-case.ts';
import { field } from '../evidence.ts';
import { betaClassAnnotation, isDelayed, resolveClass } from '../class/storage-class.ts';
import { matchVolume, namesClaim, volumeModeOf } from './volume-match.ts';
import type { VolumeCheck } from './volume-match.ts';

/** Why a volume that almost fits does not; each reason is a cause of its own. */
export type MissReason =
  | 'stale'
  | 'selector'
  | 'accessModes'
  | 'noCapacity'
  | 'capacity'
  | 'attributesClass'
  | 'volumeMode'
  | 'phase'
  | 'released'
  | 'absentOwner'
  | 'class'
  | 'terminating'
  | 'claimed';

/** The easiest to fix first: a volume of another class was hardly meant, and one in use least of all. */
const byEase: readonly MissReason[] = [
  'stale',
  'selector',
  'accessModes',
  'noCapacity',
  'capacity',
  'attributesClass',
  'volumeMode',
  'phase',
  'released',
  'absentOwner',
  'class',
  'terminating',
  'claimed',
];

export interface NearMiss {
  readonly volume: Volume;
  readonly failed: readonly VolumeCheck[];
  readonly reason: MissReason;
}

export interface NearMisses {
  /** The closest first. */
  readonly misses: readonly NearMiss[];
  /** Volumes that fit in every respect. */
  readonly fitting: readonly Volume[];
  /** All volumes of the cluster are known. */
  readonly complete: boolean;
}

const mostShown = 8;

/**
 * Why each existing volume does not fit the claim in the controller's own search. A volume of another class is a
 * candidate only if nothing else is wrong with it.
 */
export function nearMissesOf(c: PresentClaim): NearMisses {
  return c.once(findNearMisses);
}

function findNearMisses(c: PresentClaim): NearMisses {
  const volumes = c.ask.volumesFor(c.class.name, `which volumes would fit pvc/${c.name}`);
  const matches = candidatesOf(c).map((volume) => matchVolume(volume, c.claim, { by: 'search' }));
  const candidates = matches
    .filter(
      ({ failed, volume }) =>
        failed.length > 0 && (!failed.includes('class') || (failed.length === 1 && !isPooled(volume, c.ask))),
    )
    .map(({ volume, failed }): NearMiss => ({ volume, failed, reason: reasonOf(volume, failed, c) }));
  return {
    misses: rank(candidates),
    fitting: matches.filter(({ failed }) => failed.length === 0).map(({ volume }) => volume),
    complete: volumes.complete,
  };
}

/** The volumes of the class, those that name the claim, and all free ones: in a large cluster all others are in use. */
function candidatesOf(c: PresentClaim): Volume[] {
  const free =
    c.ask.graph
      .group('PersistentVolume', 'free', (volume) =>
        volume.status?.phase === 'Available' && !volume.spec?.claimRef ? [''] : [],
      )
      .get('') ?? [];
  const candidates = [...volumesOfClass(c.ask, c.class.name), ...volumesNaming(c.ask, c.claim), ...free];
  return candidates.length < 2
    ? candidates
    : [...new Set(candidates)].sort((a, b) => compareText(a.metadata.name, b.metadata.name));
}

/** A volume that meets the selector was most likely meant, so those that do not come last. */
function rank(candidates: readonly NearMiss[]): NearMiss[] {
  const failsSelector = ({ failed }: NearMiss): number => Number(failed.includes('selector'));
  return [...candidates].sort(
    (a, b) =>
      failsSelector(a) - failsSelector(b) ||
      a.failed.length - b.failed.length ||
      byEase.indexOf(a.reason) - byEase.indexOf(b.reason) ||
      compareText(a.volume.metadata.name, b.volume.metadata.name),
  );
}

/** Free volumes of a WaitForFirstConsumer class are a pool by design, and not meant for a claim of another class. */
function isPooled(volume: Volume, ask: Inquiry): boolean {
  const { name } = resolveClass(volume);
  if (name === '') return false;
  const storageClass = ask.get('StorageClass', undefined, name, `whether volumes of class ${name} wait for pods`);
  return storageClass.state === 'found' && isDelayed(storageClass.object);
}

function reasonOf(volume: Volume, failed: readonly VolumeCheck[], c: PresentClaim): MissReason {
  if (failed.includes('terminating')) return 'terminating';
  const [first] = (
    ['accessModes', 'capacity', 'attributesClass', 'volumeMode', 'selector', 'class', 'phase'] as const
  ).filter((check) => failed.includes(check));
  if (first === 'capacity' && volume.spec?.capacity?.['storage'] === undefined) return 'noCapacity';
  return first ?? ownershipOf(volume, c);
}

/** The reason for a claimRef that is not this claim's. */
function ownershipOf(volume: Volume, c: PresentClaim): MissReason {
  const phase = volume.status?.phase;
  if (phase === 'Failed') return 'phase';
  // The name is this claim's, so the uid is that of an earlier claim of the same name.
  if (namesClaim(volume, c.claim)) return 'stale';
  if (phase === 'Released') return 'released';
  if (phase === 'Bound') return 'claimed';
  const { namespace, name = '', uid } = volume.spec?.claimRef ?? {};
  const owner = c.ask.get(
    'PersistentVolumeClaim',
    namespace ?? '',
    name,
    `whether pvc/${name}, for which pv/${volume.metadata.name} is reserved, exists`,
  );
  if (owner.state !== 'missing') return 'claimed';
  return uid ? 'released' : 'absentOwner';
}

/** One line for each candidate, the closest first: what does not fit, with both values. */
export function missEvidence(misses: readonly NearMiss[], claim: Claim): Evidence[] {
  return misses.slice(0, mostShown).map(({ volume, failed, reason }) => {
    const all = failed.map((check) => ({ check, ...describeMiss(volume, claim, check) }));
    const main = all.find(({ check }) => check === checkOf(reason, failed)) ?? all[0];
    const others = all.filter((miss) => miss !== main).map(({ path, text }) => `${path} ${text}`);
    return field(volume, main?.path ?? 'spec', [main?.text ?? 'does not fit', ...others].join('; also '));
  });
}

function checkOf(reason: MissReason, failed: readonly VolumeCheck[]): VolumeCheck {
  if (reason === 'noCapacity') return 'capacity';
  if (
    reason === 'stale' ||
    reason === 'released' ||
    reason === 'absentOwner' ||
    (reason === 'phase' && !failed.includes('phase'))
  )
    return 'claimed';
  return reason;
}

interface MissText {
  /** The field of the volume. */
  readonly path: string;
  /** Its value against what the claim wants, e.g. `5Gi < 10Gi`. */
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
      `do not meet ${firstUnmetRequirement(claim.spec?.selector, volume.metadata.labels) ?? 'the selector'}`,
  },
  nodeAffinity: { path: 'spec.nodeAffinity', text: () => 'does not admit the node' },
};

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
