import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { nearestName } from '../../kube/names.ts';
import { bytesOf } from '../../kube/quantity.ts';
import { volumesNaming, volumesOfClass } from '../claim/claimed-volumes.ts';
import type { PresentClaim } from '../claim/claim-case.ts';
import { field } from '../evidence.ts';
import { isDelayed, resolveClass } from '../class/storage-class.ts';
import { describeMiss } from './miss-text.ts';
import { matchVolume, namesClaim } from './volume-match.ts';
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

/** How near a miss is; the position in `byNearness` decides. */
type Nearness = MissReason | 'smallGap' | 'claimedBySibling';

/**
 * The smallest difference first. A size that is slightly too small is most often a mix-up of units. A volume that a
 * claim of the same namespace took was more likely intended than a free one of another class; one that is in use
 * elsewhere is the least likely.
 */
const byNearness: readonly Nearness[] = [
  'stale',
  'selector',
  'smallGap',
  'accessModes',
  'noCapacity',
  'capacity',
  'attributesClass',
  'volumeMode',
  'phase',
  'released',
  'absentOwner',
  'claimedBySibling',
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
  const volumes = c.searchVolumes(`which volumes would fit pvc/${c.name}`);
  const matches = candidatesOf(c).map((volume) => matchVolume(volume, c.claim, { by: 'search' }));
  const candidates = matches
    .filter(
      ({ failed, volume }) =>
        failed.length > 0 && (!failed.includes('class') || (failed.length === 1 && !isPooled(volume, c.ask))),
    )
    .map(({ volume, failed }): NearMiss => ({ volume, failed, reason: reasonOf(volume, failed, c) }));
  return {
    misses: rank(candidates, c),
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

/**
 * A volume that meets the selector was most likely intended, so those that do not come last; then what has nearly the
 * claim's name.
 */
function rank(candidates: readonly NearMiss[], c: PresentClaim): NearMiss[] {
  const ranked = candidates.map((miss) => ({
    miss,
    order: [
      Number(miss.failed.includes('selector')),
      miss.failed.length,
      Number(!isMeantByName(miss, c)),
      byNearness.indexOf(nearnessOf(miss, c)),
    ],
  }));
  ranked.sort((a, b) => {
    const at = a.order.findIndex((value, index) => value !== b.order[index]);
    return at < 0
      ? compareText(a.miss.volume.metadata.name, b.miss.volume.metadata.name)
      : (a.order[at] ?? 0) - (b.order[at] ?? 0);
  });
  return ranked.map(({ miss }) => miss);
}

/** The volume is free and has nearly the name of the claim: it was most likely created for it. */
function isMeantByName({ volume, reason }: NearMiss, c: PresentClaim): boolean {
  return (
    reason !== 'claimed' &&
    reason !== 'terminating' &&
    (volume.metadata.name === c.name || nearestName(c.name, [volume.metadata.name]) !== undefined)
  );
}

function nearnessOf({ volume, reason }: NearMiss, c: PresentClaim): Nearness {
  if (reason === 'capacity' && isSmallGap(volume, c.claim)) return 'smallGap';
  if (reason === 'claimed' && volume.spec?.claimRef?.namespace === c.namespace) return 'claimedBySibling';
  return reason;
}

/** The volume misses the size by less than a tenth, as 100G misses 100Gi. */
export function isSmallGap(volume: Volume, claim: Claim): boolean {
  const [capacity, request] = [
    bytesOf(volume.spec?.capacity?.['storage']),
    bytesOf(claim.spec?.resources?.requests?.['storage']),
  ];
  return capacity > 0n && capacity < request && capacity * 11n >= request * 10n;
}

/** Free volumes of a WaitForFirstConsumer class are a pool by design, and not intended for a claim of another class. */
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
