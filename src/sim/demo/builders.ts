import { createHash } from 'node:crypto';
import type { RawObject } from '../../core/kube/snapshot.ts';

/** Times of the demo are given as minutes before now. */
export interface DemoClock {
  readonly ago: (minutes: number) => string;
  /** With the fraction that leases and the scheduler's events carry. */
  readonly agoExactly: (minutes: number) => string;
}

export function clockAt(now: Date): DemoClock {
  const iso = (minutes: number): string => new Date(now.getTime() - minutes * 60_000).toISOString();
  return {
    ago: (minutes) => iso(minutes).replace(/\.\d+Z$/, 'Z'),
    agoExactly: (minutes) => iso(minutes).replace(/Z$/, '000Z'),
  };
}

/** The same object has the same uid in every demo, so that screens can be compared. */
export function uidOf(kind: string, namespace: string | undefined, name: string): string {
  const digest = createHash('sha256')
    .update(`${kind}/${namespace ?? ''}/${name}`)
    .digest('hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

export interface Identity {
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace?: string;
  readonly name: string;
  /** Minutes since it was created. */
  readonly age: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly owner?: RawObject;
}

/** An object as the API server would return it; the rest is its spec, status and other fields. */
export function object(clock: DemoClock, identity: Identity, rest: Readonly<Record<string, unknown>> = {}): RawObject {
  const { kind, apiVersion, namespace, name, owner } = identity;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: uidOf(kind, namespace, name),
      creationTimestamp: clock.ago(identity.age),
      ...(identity.labels === undefined ? {} : { labels: identity.labels }),
      ...(identity.annotations === undefined ? {} : { annotations: identity.annotations }),
      ...(identity.finalizers === undefined ? {} : { finalizers: identity.finalizers }),
      ...(owner === undefined ? {} : { ownerReferences: [ownerReference(owner)] }),
    },
    ...rest,
  };
}

function ownerReference(owner: RawObject): Record<string, unknown> {
  const isController = owner.kind !== 'Node';
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    ...(isController ? { controller: true, blockOwnerDeletion: true } : {}),
  };
}

interface EventFacts {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly from: string;
  readonly host?: string;
  /** Minutes ago. */
  readonly first: number;
  readonly last?: number;
  readonly count?: number;
}

/** An event as controllers and kubelets write it. */
export function event(clock: DemoClock, about: RawObject, facts: EventFacts): RawObject {
  const { first, last = first, count = 1 } = facts;
  return object(clock, eventIdentity(about, facts.reason, facts.message, first), {
    type: facts.type ?? 'Normal',
    reason: facts.reason,
    message: facts.message,
    count,
    eventTime: null,
    firstTimestamp: clock.ago(first),
    lastTimestamp: clock.ago(last),
    involvedObject: referenceTo(about),
    reportingComponent: facts.from,
    reportingInstance: facts.host ?? '',
    source: { component: facts.from, ...(facts.host === undefined ? {} : { host: facts.host }) },
  });
}

/** The scheduler writes through events.k8s.io: in core/v1 only eventTime is set, and a series for repetitions. */
export function schedulerEvent(
  clock: DemoClock,
  pod: RawObject,
  facts: {
    readonly type: 'Normal' | 'Warning';
    readonly reason: string;
    readonly message: string;
    readonly at: number;
    readonly repeats?: number;
  },
): RawObject {
  return object(clock, eventIdentity(pod, facts.reason, facts.message, facts.at), {
    type: facts.type,
    reason: facts.reason,
    message: facts.message,
    action: facts.reason === 'Scheduled' ? 'Binding' : 'Scheduling',
    eventTime: clock.agoExactly(facts.at),
    firstTimestamp: null,
    lastTimestamp: null,
    ...(facts.repeats === undefined ? {} : { series: { count: facts.repeats, lastObservedTime: clock.agoExactly(1) } }),
    involvedObject: referenceTo(pod),
    reportingComponent: 'default-scheduler',
    reportingInstance: 'default-scheduler-control-plane',
    source: {},
  });
}

function eventIdentity(about: RawObject, reason: string, message: string, age: number): Identity {
  const suffix = createHash('sha256').update(`${about.kind}${reason}${message}`).digest('hex').slice(0, 16);
  return {
    kind: 'Event',
    apiVersion: 'v1',
    namespace: about.metadata.namespace ?? 'default',
    name: `${about.metadata.name}.${suffix}`,
    age,
  };
}

function referenceTo(about: RawObject): Record<string, unknown> {
  const { name, namespace, uid } = about.metadata;
  return {
    apiVersion: about.apiVersion,
    kind: about.kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
  };
}
