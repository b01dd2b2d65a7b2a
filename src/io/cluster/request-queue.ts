/** Each connection costs both sides a handshake, so a nearby server is asked over few of them, and a distant one over many. */
const mostNearby = 4;
const mostDistant = 10;
const nearbyRoundTripMs = 5;
const requestsPerConnection = 4;
/** A request that takes longer counts as slow; the first one includes a handshake. */
const quickMs = { first: 50, later: 8 };

/** How far away the server is, as far as it is known yet. */
export interface Distance {
  /** How long the quickest connection took to open. */
  readonly roundTripMs: number | undefined;
  /** Through a proxy nothing shows how long a connection takes. */
  readonly hasProxy: boolean;
}

/** Decides how many requests run at the same time; none waits behind one that is slow. */
export class RequestQueue {
  readonly #distance: () => Distance;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #slow = 0;
  /** The quickest answer so far over a connection that was open. */
  #quickestMs = 0;
  #hasAnswered = false;

  constructor(distance: () => Distance) {
    this.#distance = distance;
  }

  /** Resolves when the request may be sent, with a function to call when its answer is there. */
  async enter(): Promise<() => void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#admit();
    });
    const isFirst = !this.#hasAnswered;
    const begun = performance.now();
    let isSlow = false;
    const timer = setTimeout(
      () => {
        isSlow = true;
        this.#slow += 1;
        this.#admit();
      },
      isFirst ? quickMs.first : quickMs.later,
    );
    timer.unref();
    return () => {
      clearTimeout(timer);
      if (!isFirst)
        this.#quickestMs = Math.min(this.#quickestMs || Number.POSITIVE_INFINITY, performance.now() - begun);
      this.#running -= 1;
      if (isSlow) this.#slow -= 1;
      this.#admit();
    };
  }

  /** From now on a quick answer includes no handshake. */
  noteAnswer(): void {
    this.#hasAnswered = true;
  }

  get #mostRunning(): number {
    const { roundTripMs, hasProxy } = this.#distance();
    if (roundTripMs === undefined) return hasProxy ? mostDistant : mostNearby;
    // A tunnel opens quickly, since it begins on this machine, but answers from far away.
    if (roundTripMs >= nearbyRoundTripMs || this.#quickestMs > quickMs.later) return mostDistant;
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
