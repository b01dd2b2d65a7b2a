import type { Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { fix } from '../../facts/evidence.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';

/** The spec of a claim cannot be changed; one that never had a volume loses nothing when it is recreated. */
export function remakeClaim(c: ClaimCase, how: string): Fix {
  return fix(
    `delete the claim, which holds no data yet, and make it again ${how}`,
    deleteClaimCommand(c),
    'disruptive',
  );
}
