import type { Certainty } from '../../report/trace.ts';
import type { ObjectRef } from '../../report/report.ts';

/** Something that happened. Two facts with the same key are the same fact from two sources. */
export interface Fact {
  readonly key: string;
  readonly at: number;
  readonly certainty: Certainty;
  readonly component: string;
  readonly object: ObjectRef;
  readonly what: string;
  readonly said?: string;
  readonly isTrouble?: boolean;
  readonly isMinor?: boolean;
  readonly count?: number;
  readonly until?: number;
  readonly sources: readonly string[];
}

/** The order of facts within one second: most times of the API are no finer. */
const order = [
  'created/StorageClass',
  'created/VolumeSnapshotClass',
  'created/CSIDriver',
  'created/CSINode',
  'started-driver',
  'leader',
  'created/PersistentVolumeClaim',
  'created/Pod',
  'event/WaitForFirstConsumer',
  'event/WaitForPodScheduled',
  'unschedulable',
  'node-selected',
  'asked-provisioner',
  'event/ExternalProvisioning',
  'event/Provisioning',
  'event/ProvisioningFailed',
  'created/PersistentVolume',
  'bound',
  'claim-status',
  'scheduled',
  'seen-by-kubelet',
  'created/VolumeAttachment',
  'taken-up',
  'event/FailedAttachVolume',
  'attach-error',
  'attached',
  'event/FailedMount',
  'mounted',
  'event/Pulling',
  'event/Pulled',
  'event/Created',
  'started',
  'ended',
  'ready',
  'created/VolumeSnapshot',
  'event/CreatingSnapshot',
  'created/VolumeSnapshotContent',
  'taken',
  'event/SnapshotCreated',
  'content-ready',
  'snapshot-ready',
  'deletion',
];
const ranks = new Map(order.map((key, index) => [key, index]));
const middle = order.indexOf('event/ProvisioningFailed');

function rankOf({ key }: Fact): number {
  const [head = '', second = ''] = key.split('/');
  return ranks.get(`${head}/${second}`) ?? ranks.get(head) ?? middle;
}

export function inOrder(facts: readonly Fact[]): Fact[] {
  const second = (fact: Fact): number => Math.floor(fact.at / 1000);
  return [...facts].sort((a, b) => second(a) - second(b) || rankOf(a) - rankOf(b) || a.at - b.at);
}

/** All facts, by key. */
export class FactBook {
  readonly #facts = new Map<string, Fact>();

  /** The first fact with a key stays; a later one adds its source, and a more exact time. */
  add(...facts: readonly (Fact | undefined)[]): void {
    for (const fact of facts) {
      if (!fact) continue;
      const known = this.#facts.get(fact.key);
      this.#facts.set(fact.key, known ? mergeFacts(known, fact) : fact);
    }
  }

  get(key: string): Fact | undefined {
    return this.#facts.get(key);
  }

  get all(): readonly Fact[] {
    return [...this.#facts.values()];
  }
}

/**
 * The object's fact wins; an event adds its message and count, and a time where the object's is only the latest
 * possible.
 */
function mergeFacts(known: Fact, other: Fact): Fact {
  // An error on an object is the last of many, and so is a condition that comes and goes.
  const isBetter =
    (known.certainty === 'latest' || known.isTrouble === true || (other.count ?? 1) > 1) && other.at <= known.at + 1000;
  const said = known.said ?? other.said;
  const count = Math.max(known.count ?? 1, other.count ?? 1);
  const until = Math.max(known.until ?? 0, other.until ?? 0, count > 1 ? Math.max(known.at, other.at) : 0);
  return {
    ...known,
    ...(isBetter && { at: Math.min(known.at, other.at), certainty: other.certainty }),
    // The object keeps only the last failure; events show the earlier ones.
    ...(isBetter && other.at < known.at && { what: known.what.replace(/^last /, '') }),
    ...(said !== undefined && { said }),
    ...(other.isTrouble && { isTrouble: true }),
    ...(count > 1 && { count }),
    ...(until > 0 && { until }),
    sources: [...new Set([...known.sources, ...other.sources])],
  };
}
