import type { Evidence } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid } from '../../facts/evidence.ts';

/** What a controller reported about the claim, quoted; nothing where no event was found. */
export function saidOnClaim(c: PresentClaim, said: EventMatch | undefined): Evidence[] {
  return said ? [eventSaid(c.claim, said.event)] : [];
}
