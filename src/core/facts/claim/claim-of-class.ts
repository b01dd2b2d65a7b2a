import type { Claim, KubeEvent, Pod, StorageClass, Volume } from '../../kube/kinds.ts';
import type { Inquiry, Listing, Lookup } from '../../graph/inquiry.ts';
import { ClaimCase } from './claim-case.ts';

/** A claim that a user could create with a class now: what would block it is a problem of the class or its driver. */
export class ClaimOfClass extends ClaimCase {
  readonly #class: StorageClass;

  constructor(ask: Inquiry, storageClass: StorageClass) {
    const claim: Claim = {
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'any', namespace: 'any' },
      spec: {
        storageClassName: storageClass.metadata.name,
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
      },
      status: { phase: 'Pending' },
    };
    super(ask, 'any', 'any', claim);
    this.#class = storageClass;
  }

  override get storageClass(): Lookup<StorageClass> {
    return { state: 'found', object: this.#class };
  }

  override get consumers(): Listing<Pod> {
    return { items: [], complete: true };
  }

  override get events(): Listing<KubeEvent> {
    return { items: [], complete: true };
  }

  override get reservedVolumes(): readonly Volume[] {
    return [];
  }
}
