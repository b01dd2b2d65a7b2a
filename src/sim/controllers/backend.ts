import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';

/** The storage behind the drivers, which decides what they can do. */
export interface Backend {
  /** What the driver answers to CreateVolume in place of a volume, in the words of an event; undefined if it obeys. */
  readonly refusesVolume: (driver: string, claim: RawObject, cluster: Cluster) => string | undefined;
}

export const willingBackend: Backend = { refusesVolume: () => undefined };
