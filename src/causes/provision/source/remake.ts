import type { Fix } from '../../../model/report.ts';
import { fix, inNamespace, shellWord } from '../../../journey/evidence.ts';
import type { ClaimCase } from '../../../journey/claim-case.ts';

/** The spec of a claim cannot be changed; one that never had a volume loses nothing when it is made again. */
export function remakeFix(c: ClaimCase, how: string): Fix {
  return fix(`delete the claim, which holds no data yet, and make it again ${how}`, `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`, 'disruptive');
}
