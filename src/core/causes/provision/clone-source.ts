import { lastSeen } from '../../graph/events.ts';
import type { Claim, KubeEvent, Volume } from '../../kube/kinds.ts';
import { bytesOf, isQuantity } from '../../kube/quantity.ts';
import type { Evidence } from '../../report/report.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { rpcErrorText } from '../lib/driver-error/grpc-codes.ts';
import { cloneTexts } from '../lib/driver-error/sentences/provisioner.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { dataSourceOf, findToldFailure, lastRefusal } from './data-source.ts';
import type { DataSource, ToldFailure } from './data-source.ts';
import { failure, provisionerOf } from './provisioner.ts';

/** Retries come at most five minutes apart, and a call may last one more. */
const longestRetryMs = 6 * 60_000;

type CloneCheck = keyof typeof cloneTexts;

/** In the order in which the provisioner makes them. */
const checks: readonly CloneCheck[] = ['missing', 'notBound', 'deleting', 'classNil', 'size', 'invalid', 'mode'];

/** The check of getPVCSource that fails, with the objects that prove it. */
export type CloneFailure =
  | Proven<'missing', unknown>
  | Proven<'notBound', { readonly original: PresentClaim }>
  | Proven<'deleting', { readonly original: PresentClaim }>
  /** Which of the two claims has no class in its spec. */
  | Proven<'classNil', { readonly culprit: 'source' | 'clone'; readonly original: PresentClaim }>
  | Proven<'size', { readonly original: PresentClaim; readonly size: string }>
  | Proven<'invalid', { readonly original: PresentClaim; readonly fault: VolumeFault }>
  /** Where volumes cannot be read, the source claim has the mode of its volume. */
  | Proven<'mode', { readonly compared: Claim | Volume }>
  | ToldFailure<CloneCheck>;

type Proven<Check extends CloneCheck, Facts> = Facts & {
  readonly by: 'objects';
  readonly check: Check;
  readonly source: DataSource;
};

/**
 * What is wrong with the volume of the source. The provisioner has one message for all of these; the objects
 * distinguish them.
 */
export type VolumeFault =
  | { readonly is: 'missing' }
  | { readonly is: 'notCsi' | 'unclaimed' | 'otherClaim' | 'notBound'; readonly volume: Volume }
  | { readonly is: 'otherDriver'; readonly volume: Volume; readonly driver: string; readonly provisioner: string };

/** Found once for each claim, since every rule of the family asks. */
export function cloneFailureOf(c: PresentClaim): CloneFailure | undefined {
  return c.once(findFailure);
}

/** external-provisioner getPVCSource, check by check. */
function findFailure(c: ClaimCase): CloneFailure | undefined {
  const source = dataSourceOf(c);
  if (!isPresent(c) || source?.kind !== 'PersistentVolumeClaim') return undefined;
  const original = new ClaimCase(c.ask, source.namespace, source.name);
  if (original.lookup.state === 'unknown') return toldFailure(c, source);
  if (!isPresent(original)) {
    const told = toldFailure(c, source);
    if (told?.by === 'provisioner' && told.check !== 'missing' && isRecent(c, told.said.event)) return told;
    return wasAsked(c) ? undefined : { by: 'objects', check: 'missing', source };
  }
  const { status, metadata } = original.claim;
  if (status?.phase !== 'Bound') return { by: 'objects', check: 'notBound', source, original };
  if (metadata.deletionTimestamp !== undefined) return { by: 'objects', check: 'deleting', source, original };
  return checkClass(c, source, original) ?? checkSize(c, source, original) ?? checkVolume(c, source, original);
}

/**
 * The provisioner calls the driver only after it found the source: a dump in which the claim is missing is not whole
 * then.
 */
function wasAsked(c: PresentClaim): boolean {
  const answer = failure(c, rpcErrorText);
  return answer !== undefined && isRecent(c, answer.event);
}

/** A retry must have come since, had anything changed. */
function isRecent(c: PresentClaim, event: KubeEvent): boolean {
  return c.now - lastSeen(event) < longestRetryMs;
}

/** Where the source or its volume cannot be read, the provisioner's event still names the check. */
function toldFailure(c: PresentClaim, source: DataSource): CloneFailure | undefined {
  return findToldFailure(c, source, checks, cloneTexts);
}

/** Cloning is the only place where Kubernetes ignores the old annotation and looks at the field alone. */
function checkClass(c: PresentClaim, source: DataSource, original: PresentClaim): CloneFailure | undefined {
  const failure = { by: 'objects', check: 'classNil', source, original } as const;
  if (original.claim.spec?.storageClassName === undefined) return { ...failure, culprit: 'source' };
  return c.claim.spec?.storageClassName === undefined ? { ...failure, culprit: 'clone' } : undefined;
}

function checkSize(c: PresentClaim, source: DataSource, original: PresentClaim): CloneFailure | undefined {
  const { request } = c;
  const size = original.request;
  if (size === undefined || request === undefined || !isQuantity(size) || !isQuantity(request)) return undefined;
  return bytesOf(request) < bytesOf(size) ? { by: 'objects', check: 'size', source, original, size } : undefined;
}

function checkVolume(c: PresentClaim, source: DataSource, original: PresentClaim): CloneFailure | undefined {
  const lookup = original.volume;
  if (lookup?.state === 'unknown') return toldFailure(c, source) ?? checkMode(c, source, original.claim);
  const volume = lookup?.state === 'found' ? lookup.object : undefined;
  const fault = volume ? faultOf(c, source, original, volume) : ({ is: 'missing' } as const);
  if (fault) return { by: 'objects', check: 'invalid', source, original, fault };
  return volume && checkMode(c, source, volume);
}

function faultOf(c: PresentClaim, source: DataSource, original: PresentClaim, volume: Volume): VolumeFault | undefined {
  const driver = volume.spec?.csi?.driver;
  const provisioner = provisionerOf(c)?.name;
  const reference = volume.spec?.claimRef;
  if (driver === undefined) return { is: 'notCsi', volume };
  if (provisioner !== undefined && driver !== provisioner) return { is: 'otherDriver', volume, driver, provisioner };
  if (!reference) return { is: 'unclaimed', volume };
  const isOwn =
    reference.uid === original.claim.metadata.uid &&
    reference.name === source.name &&
    reference.namespace === source.namespace;
  if (!isOwn) return { is: 'otherClaim', volume };
  return volume.status?.phase === 'Bound' ? undefined : { is: 'notBound', volume };
}

function checkMode(c: PresentClaim, source: DataSource, compared: Claim | Volume): CloneFailure | undefined {
  const isSame = volumeModeOf(c.claim) === volumeModeOf(compared);
  return isSame ? undefined : { by: 'objects', check: 'mode', source, compared };
}

/** The refusal in which the provisioner itself names the check. */
export function cloneRefusal(c: PresentClaim, check: CloneCheck): Evidence[] {
  return saidOnClaim(c, lastRefusal(c, cloneTexts[check]));
}

/**
 * `, for example a or b`, the bound claims of the namespace with volumes of the same driver; empty where none is known.
 */
export function otherSourcesText(c: PresentClaim, source: string): string {
  const volumes = namesOfVolumes(c);
  const names = c.ask
    .seen('PersistentVolumeClaim')
    .filter(
      ({ metadata, status, spec }) =>
        metadata.namespace === c.namespace &&
        metadata.name !== source &&
        metadata.name !== c.name &&
        metadata.deletionTimestamp === undefined &&
        status?.phase === 'Bound' &&
        volumes.has(spec?.volumeName ?? ''),
    )
    .map(({ metadata }) => metadata.name);
  return names.length === 0 ? '' : `, for example ${names.slice(0, 2).join(' or ')}`;
}

/** The volumes of the driver that is to make the clone, as far as they were read. */
function namesOfVolumes(c: PresentClaim): ReadonlySet<string> {
  const volumes = c.ask.graph.group('PersistentVolume', 'csi driver', ({ spec }) => [spec?.csi?.driver ?? '']);
  return new Set((volumes.get(provisionerOf(c)?.name ?? '') ?? []).map(({ metadata }) => metadata.name));
}
