/**
 * Each connection costs both sides a handshake, so a nearby server is asked over few of them, and a distant one over
 * many.
 */
const mostNearby = 4;
const mostDistant = 10;
const nearbyRoundTripMs = 5;
const requestsPerConnection = 4;
/** A request that this process waits for longer counts as slow; the first one includes a handshake. */
const quickMs = { first: 10, later: 8 };

/** How far away the server is, as far as connecting shows it. */
export interface Distance {
  /** How long this process waited for the quickest connection to open. */
  readonly roundTripMs: number | undefined;
  /** Through a proxy nothing shows how long a connection takes. */
  readonly hasProxy: boolean;
}

/**
 * The milliseconds in which this process was only waiting. Wall time would include its own work, and it loads the
 * engine while the first answers are on their way.
 */
export function waitedMs(): number {
  return performance.eventLoopUtilization().idle;
}

/**
 * Decides how many requests run at the same time; none waits behind one that is slow. What counts is how long answers
 * take: the address of a tunnel or of `kubectl port-forward` is this machine, and connecting to it is quick.
 */
export class RequestQueue {
  readonly #distance: () => Distance;
  readonly #waited: () => number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #slow = 0;
  /** The quickest answers so far: before any other answer, and over a connection that was open. */
  readonly #quickestMs: { first?: number; later?: number } = {};
  #hasAnswered = false;

  constructor(distance: () => Distance, waited: () => number = waitedMs) {
    this.#distance = distance;
    this.#waited = waited;
  }

  /** Resolves when the request may be sent, with a function to call when its answer is there. */
  async enter(): Promise<() => void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#admit();
    });
    const turn = this.#hasAnswered ? 'later' : 'first';
    const begun = this.#waited();
    const watch = this.#noticeSlowness(begun, quickMs[turn]);
    return () => {
      const wasSlow = watch.end();
      this.#quickestMs[turn] = Math.min(this.#quickestMs[turn] ?? Number.POSITIVE_INFINITY, this.#waited() - begun);
      this.#running -= 1;
      if (wasSlow) this.#slow -= 1;
      this.#admit();
    };
  }

  /** From now on a quick answer includes no handshake. */
  noteAnswer(): void {
    this.#hasAnswered = true;
  }

  /** Counts a request as slow from the moment that this process has waited for it so long. */
  #noticeSlowness(begun: number, limit: number): { end(): boolean } {
    let isSlow = false;
    let timer: NodeJS.Timeout;
    const check = (): void => {
      const left = limit - (this.#waited() - begun);
      if (left > 0) {
        timer = setTimeout(check, Math.max(1, left)).unref();
        return;
      }
      isSlow = true;
      this.#slow += 1;
      this.#admit();
    };
    timer = setTimeout(check, limit).unref();
    return {
      end: () => {
        clearTimeout(timer);
        return isSlow;
      },
    };
  }

  get isDistant(): boolean {
    const { first, later } = this.#quickestMs;
    if (later !== undefined) return later > quickMs.later;
    if (first !== undefined && first > quickMs.first) return true;
    // Before there is an answer, everything that has already taken long.
    return this.#slow > 0 || (this.#distance().roundTripMs ?? 0) >= nearbyRoundTripMs;
  }

  get #mostRunning(): number {
    const { roundTripMs, hasProxy } = this.#distance();
    if (this.isDistant || (roundTripMs === undefined && hasProxy)) return mostDistant;
    const quick = this.#running - this.#slow + this.#waiting.length;
    const nearby = Math.min(mostNearby, Math.ceil(quick / requestsPerConnection));
    return Math.min(mostDistant, this.#slow + nearby);
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#running < this.#mostRunning) {
      this.#running += 1;
      this.#waiting.shift()?.();
    }
  }
}
