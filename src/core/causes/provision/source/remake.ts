import type { Fix } from '../../../report/report.ts';
import { fix, inNamespace, shellWord } from '../../../facts/evidence.ts';
import type { ClaimCase } from '../../../facts/claim/claim-case.ts';

/** The spec of a claim cannot be changed; one that never had a volume loses nothing when it is made again. */
export function remakeFix(c: ClaimCase, how: string): Fix {
  return fix(
    `delete the claim, which holds no data yet, and make it again ${how}`,
    `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
    'disruptive',
  );
}
