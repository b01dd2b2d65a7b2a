import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../../io/cluster/api-client.ts';

export interface LeasePlace {
  readonly namespace: string;
  readonly name: string;
}

export interface LeaseTimes {
  readonly durationSeconds: number;
  readonly renewMs: number;
}

type Fields = Readonly<Record<string, unknown>>;
type LeaseClient = Pick<ApiClient, 'get' | 'send' | 'now'>;

interface Lease {
  readonly metadata: Fields;
  readonly spec: Fields;
}

type Turn = 'held' | 'other' | 'conflict';

export const leaseSeconds = 30;
/** What the holder has announced, so that the next one does not announce it again. */
const memoryAnnotation = 'csi.kubectl.dev/announced';
/** Annotations of an object have 256 KiB together. */
const longestMemory = 60_000;

/**
 * A lease that one of several replicas holds, as client-go's leader election has it: another holder counts until its
 * lease has not changed for its whole duration, by our own clock.
 */
export class LeaseHolder {
  readonly #client: LeaseClient;
  readonly #place: LeasePlace;
  readonly #times: LeaseTimes;
  readonly #identity = `${hostname()}_${randomUUID()}`;
  readonly #onTrouble: (message: string) => void;
  readonly #ending = new AbortController();
  #working: Promise<void> = Promise.resolve();
  #turns: Promise<unknown> = Promise.resolve();
  #seen: { readonly record: string; readonly at: number } | undefined;
  #heldUntil = 0;
  #memory: string | undefined;
  #wanted: string | undefined;
  #trouble = '';

  constructor(client: LeaseClient, place: LeasePlace, onTrouble: (message: string) => void, times: LeaseTimes) {
    this.#client = client;
    this.#place = place;
    this.#onTrouble = onTrouble;
    this.#times = times;
  }

  /** No other replica can hold it: a holder that cannot renew it stops before it may be taken over. */
  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /** What was written into the lease last, by whichever holder. */
  get memory(): string | undefined {
    return this.#memory;
  }

  start(): void {
    this.#working = this.#work();
  }

  /** Written with the next renewal, which is now. */
  async remember(memory: string): Promise<boolean> {
    this.#wanted = memory.length <= longestMemory ? memory : undefined;
    return this.#turn();
  }

  /** Gives the lease up, so that another replica need not wait for its end. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#working;
    // What was just announced is still being written.
    await this.#turns;
    if (!this.isHeld) return;
    this.#heldUntil = 0;
    const lease = await this.#read().catch(() => undefined);
    if (lease === undefined || lease === 'missing' || lease.spec['holderIdentity'] !== this.#identity) return;
    await this.#write(lease, { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 }).catch(() => undefined);
  }

  async #work(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#turn();
      await sleep(this.#times.renewMs * (0.9 + Math.random() / 5), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Takes or renews the lease; whether it is held then. One after the other, or they would be in each other's way. */
  #turn(): Promise<boolean> {
    const turn = this.#turns.then(() => this.#turnOnce());
    this.#turns = turn;
    return turn;
  }

  async #turnOnce(): Promise<boolean> {
    const begun = performance.now();
    try {
      const result = await this.#takeOrRenew();
      if (result === 'held') this.#heldUntil = begun + (this.#times.durationSeconds * 1000 * 2) / 3;
      if (result === 'other') this.#heldUntil = 0;
      this.#trouble = '';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#trouble) this.#onTrouble(message);
      this.#trouble = message;
    }
    return this.isHeld;
  }

  async #takeOrRenew(): Promise<Turn> {
    const lease = await this.#read();
    if (lease === 'missing') return this.#create();
    const { metadata, spec } = lease;
    const annotations = (metadata['annotations'] ?? {}) as Readonly<Record<string, unknown>>;
    const written = annotations[memoryAnnotation];
    this.#memory = typeof written === 'string' ? written : undefined;
    const holder = spec['holderIdentity'];
    const isOwn = holder === this.#identity;
    if (!isOwn && typeof holder === 'string' && holder !== '' && !this.#hasExpired(spec)) return 'other';
    // What this one wrote when it held the lease before is older than what is in it.
    if (!isOwn) this.#wanted = undefined;
    const transitions = Number(spec['leaseTransitions'] ?? 0);
    return this.#write(lease, {
      ...spec,
      ...this.#record(isOwn && typeof spec['acquireTime'] === 'string' ? spec['acquireTime'] : undefined),
      leaseTransitions: isOwn ? transitions : transitions + 1,
    });
  }

  #hasExpired(spec: Fields): boolean {
    const record = JSON.stringify([spec['holderIdentity'], spec['renewTime'], spec['leaseTransitions']]);
    const now = performance.now();
    if (this.#seen?.record !== record) this.#seen = { record, at: now };
    const seconds = Number(spec['leaseDurationSeconds'] ?? this.#times.durationSeconds);
    return now - this.#seen.at > seconds * 1000;
  }

  #record(acquired: string | undefined): Fields {
    const now = this.#client.now().toISOString().replace('Z', '000Z');
    return {
      holderIdentity: this.#identity,
      leaseDurationSeconds: this.#times.durationSeconds,
      acquireTime: acquired ?? now,
      renewTime: now,
    };
  }

  async #read(): Promise<Lease | 'missing'> {
    const answer = await this.#client.get(`${this.#path}/${this.#place.name}`, 'application/json');
    if (!('status' in answer)) throw new Error(answer.message);
    if (answer.status === 404) return 'missing';
    if (answer.status !== 200 || answer.body['kind'] !== 'Lease') throw new Error(answer.message);
    const { metadata, spec } = answer.body as { readonly metadata?: Fields; readonly spec?: Fields };
    return { metadata: metadata ?? {}, spec: spec ?? {} };
  }

  async #create(): Promise<Turn> {
    const answer = await this.#client.send(this.#path, {
      method: 'POST',
      body: this.#document(
        { name: this.#place.name, namespace: this.#place.namespace },
        { ...this.#record(undefined), leaseTransitions: 0 },
      ),
    });
    return accepted(answer, () => (this.#memory = this.#wanted ?? this.#memory));
  }

  /** With the version that was read: of two replicas that write at the same time, one is refused. */
  async #write(lease: Lease, spec: Fields): Promise<Turn> {
    const answer = await this.#client.send(`${this.#path}/${this.#place.name}`, {
      method: 'PUT',
      body: this.#document(lease.metadata, spec),
    });
    return accepted(answer, () => (this.#memory = this.#wanted ?? this.#memory));
  }

  #document(metadata: Fields, spec: Fields): object {
    const annotations = {
      ...(metadata['annotations'] as object | undefined),
      ...(this.#wanted !== undefined && { [memoryAnnotation]: this.#wanted }),
    };
    const { managedFields: _, ...rest } = metadata;
    return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...rest, annotations }, spec };
  }

  get #path(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#place.namespace}/leases`;
  }
}

/** Another replica was faster: no error, but not renewed either. */
function accepted(answer: Awaited<ReturnType<LeaseClient['send']>>, onSuccess: () => void): Turn {
  if (!('status' in answer)) throw new Error(answer.message);
  if (answer.status === 409) return 'conflict';
  if (answer.status < 200 || answer.status > 299) throw new Error(answer.message);
  onSuccess();
  return 'held';
}
