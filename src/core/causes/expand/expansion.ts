import type { Volume } from '../../kube/kinds.ts';
import { migratedPlugins } from '../../kube/in-tree.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { atLeast } from '../../kube/version.ts';
import { componentOf } from '../../graph/events.ts';
import { field } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { growthSince, hasCondition, resizeStateOf } from '../../journey/claim-growth.ts';
import type { EvidenceList } from '../lib/rule.ts';

export const storageResizerAnnotation = 'volume.kubernetes.io/storage-resizer';

export function volumeOf(c: PresentClaim): Volume | undefined {
  return c.volume?.state === 'found' ? c.volume.object : undefined;
}

/** Which controller must expand the volume. */
interface Resizer {
  /** The CSI driver; undefined for a volume without one. */
  readonly driver: string | undefined;
  /** The volume is an in-tree one that the CSI driver has taken over (CSI migration). */
  readonly isMigrated: boolean;
}

/** From the volume; where that could not be read, from the events and annotations of the claim, or from its class. */
export function resizerOf(c: PresentClaim): Resizer {
  const volume = volumeOf(c);
  const annotated = c.annotation(storageResizerAnnotation);
  if (!volume) {
    const name = annotated ?? c.askedProvisioner ?? resizerInEvents(c) ?? c.storageClassObject?.provisioner;
    return { driver: name?.includes('/') ? undefined : name, isMigrated: annotated !== undefined };
  }
  if (volume.spec?.csi?.driver) return { driver: volume.spec.csi.driver, isMigrated: false };
  const plugin = migratedPlugins.find(({ source }) => volume.spec?.[source] !== undefined);
  return { driver: plugin && (annotated ?? plugin.driver), isMigrated: plugin !== undefined };
}

/** external-resizer signs its events with the name of its driver. */
function resizerInEvents({ events }: PresentClaim): string | undefined {
  return events.items.map((event) => /^external-resizer (\S+)$/.exec(componentOf(event))?.[1]).find(Boolean);
}

/** Only the external-resizer writes the conditions and states of an expansion, and signs its events with its name. */
function isExternalResizer(c: PresentClaim): boolean {
  return (
    resizerOf(c).driver !== undefined ||
    resizeStateOf(c.claim) !== '' ||
    hasCondition(c.claim, 'ControllerResizeError') ||
    hasCondition(c.claim, 'NodeResizeError')
  );
}

/** The fields that show the requested size, the current size and how far the expansion has come. */
export function growthEvidence(c: PresentClaim): EvidenceList {
  const state = resizeStateOf(c.claim);
  return [
    field(c.claim, 'spec.resources.requests.storage'),
    field(c.claim, 'status.capacity.storage'),
    ...(state === '' ? [] : [field(c.claim, 'status.allocatedResourceStatuses.storage')]),
  ];
}

/** Infinite if nothing shows when the larger size was requested. */
export function secondsSinceRequest(c: PresentClaim): number {
  const since = growthSince(c);
  return since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (c.now - since) / 1000);
}

/** The request was changed after the driver refused: the last answer is about another size. */
export function isRequestChanged(c: PresentClaim): boolean {
  const allocated = c.claim.status?.allocatedResources?.['storage'];
  return allocated !== undefined && compareQuantities(c.request, allocated) !== 0;
}

/** What grows the volume, to begin a sentence: the driver's name, if it is known. */
export function driverWords(c: PresentClaim): string {
  const volume = volumeOf(c);
  const plugin = volume && migratedPlugins.find(({ source }) => volume.spec?.[source] !== undefined);
  // Before its migration the plugin in the kube-controller-manager acts, and no CSI driver.
  if (
    plugin &&
    atLeast(c.ask.graph.serverVersion, 1, plugin.since) === false &&
    !c.annotation(storageResizerAnnotation)
  )
    return plugin.provisioner;
  return resizerOf(c).driver ?? (isExternalResizer(c) ? 'The driver' : 'The storage plugin');
}

/** `the volume of pvc/data` */
export function volumeWords({ name }: Pick<PresentClaim, 'name'>): string {
  return `the volume of pvc/${name}`;
}

/** The size that the volume still has, as a sentence; empty where it is not known. */
export function sizeNow({ claim }: PresentClaim): string {
  const capacity = claim.status?.capacity?.['storage'];
  return capacity === undefined ? '' : ` The volume still has ${capacity} and keeps working.`;
}

/** external-resizer, retry-interval-max. */
export const resizerRetries = 'The resizer retries automatically within 5 minutes.';

/** What repeats a failed growth: in-tree plugins run in the kube-controller-manager. */
export function retryWords(c: PresentClaim): string {
  return isExternalResizer(c)
    ? resizerRetries
    : 'The kube-controller-manager retries automatically within a few minutes.';
}
