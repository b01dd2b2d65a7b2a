import type { Freshness } from '../../core/report/freshness.ts';
import type { Metric } from '../../terminal/metrics/exposition.ts';
import type { StuckNote } from './notes.ts';

/** What the reading thread sends to the serving one after each judgement: small, for clusters of any size. */
export interface Picture {
  /** Names the content: the same in every replica that sees the same. Empty until something was judged. */
  readonly revision: string;
  readonly freshness: Freshness;
  /** Absent until something was judged. */
  readonly takenAt?: string;
  readonly sourceName: string;
  /** Whether everything that decides the result could be read, and is up to date. */
  readonly isUp: boolean;
  /** Whether all could be looked through, so that a cause that is not here is gone. */
  readonly isSearched: boolean;
  readonly metrics: readonly Metric[];
  readonly stuck: readonly StuckNote[];
  /** Targets that could not be judged: `Kind|namespace|name`. */
  readonly unknown: readonly string[];
  readonly work: Work;
}

/** What the reading thread has done so far. */
export interface Work {
  /** Requests to the API server by method and answer: `LIST 200`. */
  readonly requests: Readonly<Record<string, number>>;
  readonly judgements: number;
  readonly failures: number;
  readonly lastJudgementSeconds: number;
}

/** Until the first judgement; `reason` says why there is none yet. */
export function emptyPicture(sourceName: string, since: string, reason?: string): Picture {
  return {
    revision: '',
    freshness: { state: reason === undefined ? 'connecting' : 'stale', since, ...(reason !== undefined && { reason }) },
    sourceName,
    isUp: false,
    isSearched: false,
    metrics: [],
    stuck: [],
    unknown: [],
    work: { requests: {}, judgements: 0, failures: 0, lastJudgementSeconds: 0 },
  };
}
