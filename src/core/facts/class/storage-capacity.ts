import type { CsiDriver, Node, ObjectOf, StorageClass } from '../../kube/kinds.ts';
import { bytesOf } from '../../kube/quantity.ts';
import { matchesLabelSelector } from '../../kube/selectors.ts';
import type { PresentClaim } from '../claim/claim-case.ts';

export type StorageCapacity = ObjectOf<'CSIStorageCapacity'>;

/** The capacity that a driver publishes for one class, and the claim that needs it (binder hasEnoughCapacity). */
export interface CapacityView {
  readonly claim: PresentClaim;
  readonly storageClass: StorageClass;
  readonly driver: string;
  readonly csiDriver: CsiDriver | undefined;
  /** Objects of this class, in any namespace: the scheduler reads them all. */
  readonly published: readonly StorageCapacity[];
  /** Whether all objects are known; if not, whether reading them was refused or they are not part of the dump. */
  readonly coverage: 'complete' | 'refused' | 'unread';
}

/**
 * Undefined where the scheduler does not check capacity. Where the CSIDriver cannot be read, `isMentioned` (a message
 * of the scheduler about free space) shows that it does.
 */
export function viewCapacity(claim: PresentClaim, isMentioned: boolean): CapacityView | undefined {
  const storageClass = claim.storageClassObject;
  const driver = claim.provisioner;
  if (!storageClass || driver === undefined) return undefined;
  const csiDriver = claim.ask.get('CSIDriver', undefined, driver, `whether ${driver} publishes its free space`);
  const isOn =
    csiDriver.state === 'found'
      ? csiDriver.object.spec?.storageCapacity === true
      : csiDriver.state === 'unknown' && isMentioned;
  if (!isOn) return undefined;
  const all = claim.ask.list('CSIStorageCapacity', undefined, `how much space ${driver} has where`);
  return {
    claim,
    storageClass,
    driver,
    csiDriver: csiDriver.state === 'found' ? csiDriver.object : undefined,
    published: all.items.filter((capacity) => capacity.storageClassName === storageClass.metadata.name),
    coverage: coverageOf(claim, all.complete),
  };
}

function coverageOf({ ask }: PresentClaim, isComplete: boolean): CapacityView['coverage'] {
  if (isComplete) return 'complete';
  const { state } = ask.graph.coverage.of('CSIStorageCapacity', {});
  return state === 'denied' || state === 'failed' ? 'refused' : 'unread';
}

/** maximumVolumeSize if it is set, otherwise the capacity; without either there is no space (capacitySufficient). */
export function largestVolume(capacity: StorageCapacity): string | undefined {
  return capacity.maximumVolumeSize ?? capacity.capacity;
}

export function hasRoom(capacity: StorageCapacity, claim: PresentClaim): boolean {
  const largest = largestVolume(capacity);
  return largest !== undefined && bytesOf(largest) >= bytesOf(claim.request);
}

/** No topology means no node, an empty one means every node (nodeHasAccess). */
export function isNear(capacity: StorageCapacity, node: Node): boolean {
  return matchesLabelSelector(capacity.nodeTopology, node.metadata.labels ?? {});
}
