/** How long a resource that did not answer in time is not asked again. */
const mostRestMs = 5000;

/**
 * What is known about the server from its answers so far. Before the first sound answer a failure ends the program;
 * after it, the failure of one read is a result like any other.
 */
export class ServerStanding {
  #isKnown = false;
  #running = 0;
  #undecided: (() => void)[] = [];
  #lastAnswer = Number.NEGATIVE_INFINITY;
  /** Resources that did not answer, or only with errors, and until when. The empty name stands for the whole server. */
  readonly #silent = new Map<string, number>();
  readonly #failing = new Map<string, number>();
  readonly #restMs: number;

  constructor(budget: number) {
    this.#restMs = Math.min(budget, mostRestMs);
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** A sound answer of an API server. */
  noteAnswer(resource: string): void {
    this.#isKnown = true;
    this.#lastAnswer = performance.now();
    for (const map of [this.#silent, this.#failing]) {
      map.delete(resource);
      map.delete('');
    }
    this.#decide();
  }

  /** A request that began at this time was not answered within the request timeout. */
  noteSilence(resource: string, begun: number): void {
    const until = performance.now() + this.#restMs;
    this.#silent.set(resource, until);
    if (this.#lastAnswer < begun) this.#silent.set('', until);
  }

  /** All attempts failed. */
  noteFailure(resource: string): void {
    this.#failing.set(resource, performance.now() + this.#restMs);
  }

  /**
   * Whether a moment ago the resource, or the whole server, did not answer: another request would only take as long
   * again.
   */
  isSilent(resource: string): boolean {
    return resource !== '' && (isRecent(this.#silent, resource) || isRecent(this.#silent, ''));
  }

  /** Whether a moment ago all attempts failed, so that one is enough now. */
  isFailing(resource: string): boolean {
    return resource !== '' && isRecent(this.#failing, resource);
  }

  enter(): () => void {
    this.#running += 1;
    return () => {
      this.#running -= 1;
      this.#decide();
    };
  }

  /**
   * Whether the server is known to be an API server. Waits for the requests under way: the first answer need not be the
   * sound one.
   */
  async decide(): Promise<boolean> {
    if (this.#isKnown) return true;
    await new Promise<void>((resolve) => {
      this.#undecided.push(resolve);
      this.#decide();
    });
    return this.#isKnown;
  }

  #decide(): void {
    if (!this.#isKnown && this.#undecided.length < this.#running) return;
    for (const resolve of this.#undecided.splice(0)) resolve();
  }
}

function isRecent(times: ReadonlyMap<string, number>, resource: string): boolean {
  return (times.get(resource) ?? 0) > performance.now();
}

/** The resource of a path, such as `storage.k8s.io/csinodes`; empty for a path that has none. */
export function resourceIn(path: string): string {
  const [, group = '', resource = ''] =
    /^\/(?:api|apis\/([^/?]+))\/[^/?]+\/(?:namespaces\/[^/?]+\/)?([^/?]+)/.exec(path) ?? [];
  return resource === '' ? '' : `${group}/${resource}`;
}
