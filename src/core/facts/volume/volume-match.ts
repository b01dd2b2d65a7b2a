import type { Claim, Node, Volume } from '../../kube/kinds.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { bytesOf, compareQuantities } from '../../kube/quantity.ts';
import { matchesLabelSelector, matchesNodeSelector } from '../../kube/selectors.ts';
import { resolveClass } from '../class/storage-class.ts';

/** What is compared, in the order in which a near miss is described. */
export type VolumeCheck =
  | 'claimed'
  | 'terminating'
  | 'phase'
  | 'class'
  | 'volumeMode'
  | 'accessModes'
  | 'capacity'
  | 'attributesClass'
  | 'selector'
  | 'nodeAffinity';

export interface VolumeMatch {
  readonly volume: Volume;
  readonly failed: readonly VolumeCheck[];
  /** The volume is reserved for this very claim by its claimRef. */
  readonly isPrebound: boolean;
}

/** How the claim and the volume come together: three code paths check different fields. */
export type MatchPath =
  { readonly by: 'search' } | { readonly by: 'volumeName' } | { readonly by: 'scheduler'; readonly node: Node };

export function matchVolume(volume: Volume, claim: Claim, path: MatchPath): VolumeMatch {
  const reservation = reservationOf(volume, claim);
  const isPrebound = reservation === 'this';
  const failed: VolumeCheck[] = [];
  const check = (name: VolumeCheck, passes: boolean): void => {
    if (!passes) failed.push(name);
  };
  // Both name each other, so the controller checks nothing else.
  if (path.by === 'volumeName' && isPrebound) return { volume, failed, isPrebound };
  check('claimed', reservation !== 'other');
  check('terminating', volume.metadata.deletionTimestamp === undefined);
  const isSearched = path.by !== 'volumeName' && !isPrebound;
  // A Released volume fails by its claimRef already; the phase is checked only where it adds something.
  if (isSearched && reservation !== 'other') check('phase', volume.status?.phase === 'Available');
  // The scheduler lists only volumes of the claim's class (binder.go findMatchingVolumes), even for a reserved volume.
  if (!(path.by === 'search' && isPrebound)) check('class', resolveClass(volume).name === resolveClass(claim).name);
  check('volumeMode', volumeModeOf(volume) === volumeModeOf(claim));
  if (!(path.by === 'scheduler' && isPrebound)) check('accessModes', hasAccessModes(volume, claim));
  const capacity = volume.spec?.capacity?.['storage'];
  const request = claim.spec?.resources?.requests?.['storage'];
  check(
    'capacity',
    path.by === 'volumeName' ? bytesOf(capacity) >= bytesOf(request) : compareQuantities(capacity, request) >= 0,
  );
  // With the feature off (before 1.34) the API server drops the field, so a value that is set is compared.
  check(
    'attributesClass',
    (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? ''),
  );
  if (isSearched)
    check(
      'selector',
      claim.spec?.selector === undefined || matchesLabelSelector(claim.spec.selector, volume.metadata.labels ?? {}),
    );
  if (path.by === 'scheduler') check('nodeAffinity', fitsNode(volume, path.node));
  return { volume, failed, isPrebound };
}

/**
 * The volume that the controller (or, per node, the scheduler) would choose: a reserved one if it fits, otherwise the
 * smallest. The controller searches groups of equal access modes, the fewest modes first, and stops at the first match
 * (index.go findByClaim), so a large single-mode volume wins over a small one with more modes, even a reserved one.
 * Where upstream leaves a tie open, the name decides, so that the answer is always the same.
 */
export function chooseVolume(
  volumes: readonly Volume[],
  claim: Claim,
  path: Exclude<MatchPath, { by: 'volumeName' }>,
  options: { readonly isDelayed?: boolean; readonly taken?: ReadonlySet<string> } = {},
): Volume | undefined {
  const matches = volumes
    .filter((volume) => !options.taken?.has(volume.metadata.name))
    .map((volume) => matchVolume(volume, claim, path));
  if (
    path.by === 'scheduler' &&
    matches.some(({ isPrebound, failed }) => isPrebound && failed.length === 1 && failed[0] === 'nodeAffinity')
  )
    return undefined;
  // With WaitForFirstConsumer the controller leaves unreserved volumes to the scheduler.
  const fits = matches.filter(
    ({ failed, isPrebound }) =>
      failed.length === 0 && (isPrebound || path.by === 'scheduler' || options.isDelayed !== true),
  );
  const modes = ({ volume }: VolumeMatch): number =>
    path.by === 'search' ? new Set(volume.spec?.accessModes ?? []).size : 0;
  const order = (a: VolumeMatch, b: VolumeMatch): number =>
    modes(a) - modes(b) ||
    Number(b.isPrebound) - Number(a.isPrebound) ||
    compareQuantities(a.volume.spec?.capacity?.['storage'], b.volume.spec?.capacity?.['storage']) ||
    compareText(a.volume.metadata.name, b.volume.metadata.name);
  return fits.sort(order)[0]?.volume;
}

/** Which claim the claimRef names: none, this one (reserved or bound), or another. */
export function reservationOf(volume: Volume, claim: Claim): 'none' | 'this' | 'other' {
  const reference = volume.spec?.claimRef;
  if (!reference || (!reference.name && !reference.uid)) return 'none';
  return namesClaim(volume, claim) && (!reference.uid || reference.uid === claim.metadata.uid) ? 'this' : 'other';
}

/** The claimRef has this claim's name, but perhaps the uid of an earlier claim of that name. */
export function namesClaim(volume: Volume, claim: Claim): boolean {
  const reference = volume.spec?.claimRef;
  return reference?.name === claim.metadata.name && reference.namespace === claim.metadata.namespace;
}

function fitsNode(volume: Volume, node: Node): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required, node.metadata.labels ?? {});
}

export function volumeModeOf(object: Claim | Volume): string {
  return object.spec?.volumeMode || 'Filesystem';
}

function hasAccessModes(volume: Volume, claim: Claim): boolean {
  const offered = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode));
}
