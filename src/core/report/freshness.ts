/**
 * live: watches are up. connecting: they are not up yet. stale: what is shown was true at `since`. dump: it never
 * changes.
 */
export interface Freshness {
  readonly state: 'live' | 'connecting' | 'stale' | 'dump';
  /** RFC 3339: since when it has been in this state; of a dump, when it was taken. */
  readonly since: string;
  /** Why it is stale, in one sentence. */
  readonly reason?: string;
}
