import { resourceOf } from '../../core/kube/resources.ts';
import { scopeKey, widerScopes } from '../../core/kube/snapshot.ts';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { objectKey } from '../identify.ts';
import { isSelective, planReadings } from './reading-plan.ts';
import { scanCandidates } from './scan-volumes.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Need, Observation, RawObject, Scope, Snapshot } from '../../core/kube/snapshot.ts';
import { refusalOf } from './reader.ts';
import type { ClusterReader, ListResult, TableRow } from './reader.ts';
import type { Scan } from './scan-table.ts';
import type { Reading } from './reading-plan.ts';

interface CollectProgress {
  readonly round: number;
  readonly readings: number;
  readonly objects: number;
}

export interface CollectOptions {
  /** What was already read, such as by scanStuck. */
  readonly initial?: Pick<Snapshot, 'objects' | 'observations' | 'serverVersion'> & Pick<Scan, 'volumeRows'>;
  /** Namespaces to list when the whole cluster may not be listed, next to those that the needs name. */
  readonly namespaces?: readonly string[];
  readonly maxRounds?: number;
  readonly onProgress?: (progress: CollectProgress) => void;
  readonly signal?: AbortSignal;
}

const usualRounds = 12;
/** One page of a list costs about as much as this many gets. */
const getsPerPage = 25;
const pageSize = 500;
/** The server compresses only long answers, so that an object in the list of one namespace costs more than in a page of all. */
const dearness = 2;
/** A search that saw more claims than this shows a large cluster, in which no list is short. */
const many = 1000;

/** Reads the seeds, then what the diagnosis of those still needs, until it needs nothing more. */
export async function collect(
  reader: ClusterReader,
  seeds: readonly Need[],
  needsOf: (snapshot: Snapshot) => readonly Need[] | Promise<readonly Need[]>,
  options: CollectOptions = {},
): Promise<Snapshot> {
  const collection = new Collection(reader, options);
  const known = options.initial?.serverVersion;
  const asked = known === undefined ? reader.serverVersion() : Promise.resolve(known);
  const version = asked.catch((error: unknown) => {
    if (error instanceof EnvironmentError) return undefined;
    throw error;
  });
  let needs = seeds;
  let snapshot = collection.snapshot(undefined);
  const rounds = options.maxRounds ?? usualRounds;
  for (let round = 1; round <= rounds; round += 1) {
    options.signal?.throwIfAborted();
    const readings = collection.plan(needs);
    if (readings.length === 0 && round > 1) break;
    options.onProgress?.({ round, readings: readings.length, objects: collection.size });
    await Promise.all(readings.map((reading) => collection.read(reading)));
    snapshot = collection.snapshot(await version);
    needs = await needsOf(snapshot);
  }
  collection.refuseIfBlind();
  return snapshot;
}

class Collection {
  readonly #reader: ClusterReader;
  readonly #objects = new Map<string, RawObject>();
  readonly #observations = new Map<string, Observation>();
  readonly #namespaces: Set<string>;
  readonly #isLarge: boolean;
  readonly #volumeRows: readonly TableRow[] | undefined;

  constructor(reader: ClusterReader, options: CollectOptions) {
    this.#reader = reader;
    this.#namespaces = new Set(options.namespaces ?? []);
    this.#volumeRows = options.initial?.volumeRows;
    this.#isLarge = (options.initial?.observations ?? []).some(({ looked = 0 }) => looked > many);
    for (const object of options.initial?.objects ?? []) this.#objects.set(objectKey(object), object);
    for (const observation of options.initial?.observations ?? []) this.#note(observation);
  }

  get size(): number {
    return this.#objects.size;
  }

  snapshot(serverVersion: string | undefined): Snapshot {
    return {
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'Snapshot',
      takenAt: this.#reader.now().toISOString(),
      source: { type: 'cluster', name: this.#reader.name },
      ...(serverVersion === undefined ? {} : { serverVersion }),
      objects: [...this.#objects.values()],
      observations: [...this.#observations.values()],
    };
  }

  plan(needs: readonly Need[]): Reading[] {
    for (const { scope } of needs)
      if (scope.namespace !== undefined && scope.namespace !== '') this.#namespaces.add(scope.namespace);
    return planReadings(needs, (kind, scope) => this.#isAnswered(kind, scope), this.#isLarge);
  }

  async read(reading: Reading): Promise<void> {
    const { kind, scope, instead } = reading;
    if (scope.name !== undefined) return this.#readOne(kind, scope, scope.name);
    if (reading.together !== undefined) return this.#readTogether(kind, reading.together);
    if (scope.first !== undefined) return this.#readSome(kind, scope, scope.first);
    // The server does not report the length of a list with a selector.
    const result = await this.#reader.list(
      kind,
      scope,
      instead.length > 0 && !isSelective(scope)
        ? { isEnough: (page, remaining) => isDearer(page, remaining, instead) }
        : {},
    );
    this.#take(kind, scope, result);
    if (result.state === 'complete') return;
    if (instead.length > 0)
      await Promise.all(
        instead
          .filter((narrow) => !this.#holds(kind, narrow))
          .map((narrow) => this.read({ kind, scope: narrow, instead: [] })),
      );
    else if (result.state === 'denied') await this.#fallBack(kind, scope);
  }

  async #readSome(kind: Kind, scope: Scope, limit: number): Promise<void> {
    const { first: _, ...all } = scope;
    const result = await this.#reader.list(kind, all, { limit });
    if (refusalOf(result) !== undefined || !('objects' in result)) return this.#take(kind, scope, result);
    this.#take(kind, result.state === 'complete' ? all : scope, { ...result, state: 'complete' });
  }

  /** Where all claims were read as one short list, the volumes are few as well. */
  get #isSmall(): boolean {
    return this.#observations.get(scopeKey('PersistentVolumeClaim', {}))?.state === 'complete';
  }

  async #readTogether(kind: Kind, scopes: readonly Scope[]): Promise<void> {
    if (this.#isSmall) {
      const result = await this.#reader.list(kind, {}, { isEnough: (_page, remaining) => remaining > 0 });
      if ('objects' in result && result.state === 'complete') return this.#take(kind, {}, result);
    }
    const known = [...this.#objects.values()];
    const { objects, observations } = await scanCandidates(this.#reader, scopes, known, this.#volumeRows);
    for (const object of objects) this.#put(object);
    for (const observation of observations) this.#note(observation);
    await Promise.all(
      scopes.filter((scope) => !this.#isAnswered(kind, scope)).map((scope) => this.read({ kind, scope, instead: [] })),
    );
  }

  /** Members of one team usually may not list the whole cluster: their namespaces are listed instead. */
  async #fallBack(kind: Kind, scope: Scope): Promise<void> {
    if (!resourceOf(kind).namespaced || scope.namespace !== undefined) return;
    const places = [...this.#namespaces]
      .map((namespace) => ({ ...scope, namespace }))
      .filter((narrow) => !this.#isAnswered(kind, narrow));
    await Promise.all(places.map(async (narrow) => this.#take(kind, narrow, await this.#reader.list(kind, narrow))));
  }

  async #readOne(kind: Kind, scope: Scope, name: string): Promise<void> {
    const result = await this.#reader.get(kind, scope.namespace, name);
    if (result.state === 'denied') {
      // Some roles grant list without get; the answer is the same.
      this.#take(kind, scope, await this.#reader.list(kind, scope));
      return;
    }
    if (result.state === 'found') this.#put(result.object);
    if (result.state === 'found' || result.state === 'missing') this.#note({ kind, scope, state: 'complete' });
    else this.#note({ kind, scope, state: result.state, message: result.message });
  }

  #take(kind: Kind, scope: Scope, result: ListResult): void {
    for (const object of 'objects' in result ? result.objects : []) this.#put(object);
    const refusal = refusalOf(result);
    if (refusal !== undefined) this.#note({ kind, scope, state: refusal.state, message: refusal.message });
    // A list that was ended early answers nothing; the narrow reads that replace it do.
    else if (result.state === 'complete') this.#note({ kind, scope, state: 'complete' });
  }

  #put(object: RawObject): void {
    this.#objects.set(objectKey(object), object);
  }

  #note(observation: Observation): void {
    const key = scopeKey(observation.kind, observation.scope);
    // Two reads of one round may answer the same question, one of them in part.
    if (observation.state === 'partial' && this.#observations.get(key)?.state === 'complete') return;
    this.#observations.set(key, observation);
    // A kind that the server does not know is missing in every scope.
    const everywhere = scopeKey(observation.kind, {});
    if (observation.state === 'absentApi' && !this.#observations.has(everywhere))
      this.#observations.set(everywhere, { ...observation, scope: {} });
  }

  /** Whether the first page of a list that was ended early already contained this object. */
  #holds(kind: Kind, scope: Scope): boolean {
    if (scope.name === undefined) return false;
    const holds = this.#objects.has(`${kind}|${scope.namespace ?? ''}|${scope.name}`);
    if (holds) this.#note({ kind, scope, state: 'complete' });
    return holds;
  }

  #isAnswered(kind: Kind, scope: Scope): boolean {
    const exact = this.#observations.get(scopeKey(kind, scope));
    // A partial list answers the narrower questions only.
    if (exact !== undefined && exact.state !== 'partial') return true;
    if (this.#observations.get(scopeKey(kind, {}))?.state === 'absentApi') return true;
    return widerScopes(scope).some((wider) => this.#observations.get(scopeKey(kind, wider))?.state === 'complete');
  }

  /** If no read succeeded there is nothing to diagnose, only a server to check or rights to ask for. */
  refuseIfBlind(): void {
    const observations = [...this.#observations.values()];
    const [first] = observations;
    const isBlind = observations.every(({ state }) => state !== 'complete' && state !== 'partial');
    if (first === undefined || this.#objects.size > 0 || !isBlind) return;
    const failed = observations.find(({ state }) => state === 'failed');
    if (failed !== undefined) throw explainFailure(this.#reader.name, failed.message ?? '');
    if (observations.some(({ state }) => state === 'denied'))
      throw explainBlindness(this.#reader.name, observations.find(({ state }) => state === 'denied')?.message ?? '');
  }
}

function explainFailure(name: string, words: string): EnvironmentError {
  return new EnvironmentError(
    `nothing could be read from ${name}: ${words}`,
    'Check the address of the API server and any proxy in front of it, and try again',
  );
}

function explainBlindness(name: string, words: string): EnvironmentError {
  const user = /User "([^"]+)"/.exec(words)?.[1];
  return new EnvironmentError(
    `${user === undefined ? 'this user' : `the user ${user}`} may not read any of the objects that are needed in ${name}`,
    'Run kubectl csi rbac to print the role to request, or choose another --context or --user',
  );
}

/** Whether the rest of the list costs more than the narrow reads that its first page did not answer. */
function isDearer(page: readonly RawObject[], remaining: number, instead: readonly Scope[]): boolean {
  const found = new Set(page.map((object) => object.metadata.name));
  const open = instead.filter(({ name }) => name === undefined || !found.has(name));
  // Objects per namespace, estimated from the first page, which is sorted by namespace.
  const perNamespace = page.length / Math.max(1, new Set(page.map(({ metadata }) => metadata.namespace)).size);
  const costs = open.map((scope) => {
    if (scope.name !== undefined || (scope.namespace !== undefined && isSelective(scope))) return 1 / getsPerPage;
    return scope.namespace === undefined ? 1 : 1 / getsPerPage + (perNamespace * dearness) / pageSize;
  });
  return costs.reduce((sum, cost) => sum + cost, 0) < remaining / pageSize;
}
