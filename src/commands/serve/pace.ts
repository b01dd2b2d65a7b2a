/** How often `serve` looks; tests need not wait as long as people do. */
export interface Pace {
  /** The least time between two judgements. */
  readonly pauseMs: number;
  /** How often it is checked what has to be announced. */
  readonly lookMs: number;
  /** How often the lease is renewed, or checked by a replica that does not hold it. */
  readonly renewMs: number;
  /** When nothing was judged for so long, what is known is out of date, whatever the reason. */
  readonly quietMs: number;
}

export const usualPace: Pace = { pauseMs: 1000, lookMs: 1000, renewMs: 10_000, quietMs: 120_000 };
