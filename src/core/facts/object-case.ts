import type { Kind, KubeEvent, ObjectOf } from '../kube/kinds.ts';
import type { Inquiry, Listing } from '../graph/inquiry.ts';
import { objectKinds } from '../kube/selection.ts';
import { parseTime } from '../kube/time.ts';

/**
 * The facts about one object that is neither claim nor pod: a volume, an attachment, a snapshot, a node, a driver, a
 * class.
 */
export class ObjectCase<K extends Kind> {
  readonly ask: Inquiry;
  readonly object: ObjectOf<K>;

  constructor(ask: Inquiry, object: ObjectOf<K>) {
    this.ask = ask;
    this.object = object;
  }

  get now(): number {
    return this.ask.now;
  }

  get name(): string {
    return this.object.metadata.name;
  }

  get isTerminating(): boolean {
    return this.object.metadata.deletionTimestamp !== undefined;
  }

  get finalizers(): readonly string[] {
    return this.object.metadata.finalizers ?? [];
  }

  get events(): Listing<KubeEvent> {
    return this.ask.eventsOf(this.object);
  }

  /** Seconds since its creation; an object without a time counts as old. */
  get ageSeconds(): number {
    return this.secondsSince(this.object.metadata.creationTimestamp);
  }

  secondsSince(time: string | undefined): number {
    const moment = parseTime(time);
    return moment === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (this.now - moment) / 1000);
  }

  annotation(name: string): string | undefined {
    return this.object.metadata.annotations?.[name];
  }
}

export type ObjectKind = (typeof objectKinds)[number];

export function isObjectKind(kind: string): kind is ObjectKind {
  return objectKinds.some((known) => known === kind);
}
