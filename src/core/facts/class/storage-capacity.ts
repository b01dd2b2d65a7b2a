import type { CsiDriver, Node, ObjectOf, StorageClass } from '../../kube/kinds.ts';
import { bytesOf } from '../../kube/quantity.ts';
import { matchesLabelSelector } from '../../kube/selectors.ts';
import type { PresentClaim } from '../claim/claim-case.ts';

export type StorageCapacity = ObjectOf<'CSIStorageCapacity'>;

/** What a driver publishes about the space behind one class, beside what a claim asks for (binder hasEnoughCapacity). */
export interface CapacityView {
  readonly claim: PresentClaim;
  readonly storageClass: StorageClass;
  readonly driver: string;
  readonly csiDriver: CsiDriver | undefined;
  /** Objects of this class, in any namespace: the scheduler reads them all. */
  readonly published: readonly StorageCapacity[];
  /** All objects are known; if not, whether they were refused or simply not part of what was saved. */
  readonly coverage: 'complete' | 'refused' | 'unread';
}

/** Undefined where the scheduler does not look at capacity at all; that it speaks of free space shows that it does. */
export function viewCapacity(claim: PresentClaim, isSpokenOf: boolean): CapacityView | undefined {
  const storageClass = claim.storageClassObject;
  const driver = claim.provisioner;
  if (!storageClass || driver === undefined) return undefined;
  const csiDriver = claim.ask.get('CSIDriver', undefined, driver, `whether ${driver} publishes its free space`);
  const isOn =
    csiDriver.state === 'found'
      ? csiDriver.object.spec?.storageCapacity === true
      : csiDriver.state === 'unknown' && isSpokenOf;
  if (!isOn) return undefined;
  const all = claim.ask.list('CSIStorageCapacity', undefined, `how much space ${driver} has where`);
  const state = claim.ask.graph.coverage.of('CSIStorageCapacity', {}).state;
  return {
    claim,
    storageClass,
    driver,
    csiDriver: csiDriver.state === 'found' ? csiDriver.object : undefined,
    published: all.items.filter((capacity) => capacity.storageClassName === storageClass.metadata.name),
    coverage: all.complete ? 'complete' : state === 'denied' || state === 'failed' ? 'refused' : 'unread',
  };
}

/** maximumVolumeSize where it is set, else the capacity; neither is no space at all (capacitySufficient). */
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
