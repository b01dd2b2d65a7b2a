import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RawObject } from '../core/kube/snapshot.ts';
import { numberAt, textAt } from './fields.ts';
import type { KindRegistry } from './served-kinds.ts';
import type { Store } from './store.ts';

interface Report {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly from: string;
}

/** The store as admission and controllers see it: objects by kind, and the time. */
export class Cluster {
  readonly store: Store;
  readonly kinds: KindRegistry;
  readonly #now: () => number;

  constructor(store: Store, kinds: KindRegistry, now: () => number) {
    this.store = store;
    this.kinds = kinds;
    this.#now = now;
  }

  get now(): number {
    return this.#now();
  }

  /** As metadata and statuses carry it: whole seconds. */
  get timestamp(): string {
    return new Date(this.now).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  /** As leases carry it. */
  get microTime(): string {
    return new Date(this.now).toISOString().replace(/Z$/, '000Z');
  }

  list(kind: string, namespace?: string): readonly RawObject[] {
    const served = this.kinds.find(kind);
    if (served === undefined) return [];
    return this.store.list(served, namespace).map(({ object }) => object);
  }

  get(kind: string, namespace: string | undefined, name: string): RawObject | undefined {
    return this.store.find(kind, namespace, name);
  }

  /** Writes the object unless it is the same as what is stored: only real changes get a version and an event. */
  put(object: RawObject): RawObject {
    const current = this.get(object.kind, object.metadata.namespace, object.metadata.name);
    return current !== undefined && isDeepStrictEqual(current, object) ? current : this.store.apply(object);
  }

  remove({ kind, metadata }: RawObject): void {
    this.store.remove(kind, metadata.namespace, metadata.name);
  }

  /** Writes an event once; an event with the same words about the same object is counted up after a while. */
  report(about: RawObject, { type = 'Normal', reason, message, from }: Report): void {
    const { namespace = 'default', name, uid } = about.metadata;
    const known = this.list('Event', namespace).find(
      (event) =>
        textAt(event, 'involvedObject', 'uid') === uid &&
        textAt(event, 'reason') === reason &&
        textAt(event, 'message') === message,
    );
    if (known !== undefined) return this.#repeat(known);
    const suffix = createHash('sha256').update(`${uid}${reason}${message}`).digest('hex').slice(0, 16);
    this.put({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${suffix}`, namespace },
      type,
      reason,
      message,
      count: 1,
      eventTime: null,
      firstTimestamp: this.timestamp,
      lastTimestamp: this.timestamp,
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        name,
        ...(about.metadata.namespace === undefined ? {} : { namespace }),
        uid,
      },
      reportingComponent: from,
      reportingInstance: '',
      source: { component: from },
    });
  }

  #repeat(event: RawObject): void {
    const last = Date.parse(textAt(event, 'lastTimestamp') || textAt(event, 'series', 'lastObservedTime'));
    if (this.now - last < repeatAfterMs) return;
    const isSeries = textAt(event, 'lastTimestamp') === '';
    const count = numberAt(event, ...(isSeries ? ['series', 'count'] : ['count'])) + 1;
    this.put({
      ...event,
      ...(isSeries
        ? { series: { count, lastObservedTime: this.microTime } }
        : { count, lastTimestamp: this.timestamp }),
    });
  }
}

/** Controllers repeat themselves, so a continuing failure has a recent event. */
const repeatAfterMs = 5 * 60_000;
