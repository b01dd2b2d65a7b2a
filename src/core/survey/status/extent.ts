import type { Listing } from '../../graph/inquiry.ts';
import type { Extent } from '../../report/status.ts';

/** How much of a listing could be read. */
export function extentOf({ items, complete }: Listing<unknown>): Extent {
  if (complete) return 'all';
  return items.length > 0 ? 'some' : 'none';
}
