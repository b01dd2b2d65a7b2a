import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { failure, hasFailed, provisionerOf, waitedSeconds } from './provisioner.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { modeCombinationTexts } from '../lib/driver-error/sentences/provisioner.ts';

const silenceSeconds = 120;

/**
 * csi-lib-utils accessmodes: one volume has one mode in CSI, and not every set of modes of a claim comes down to one.
 */
export const provisionAccessmodeCombination = claimRule({
  cause: 'provision-accessmode-combination',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const modes = c.claim.spec?.accessModes ?? [];
    if (modes.length < 2 || provisionerOf(c)?.isCsi === false) return undefined;
    const clash = clashOf(modes);
    const said = failure(c, modeCombinationTexts);
    // The provisioner sends each mode to the driver separately, so any other error counts more.
    if (!said && (clash === undefined || hasFailed(c) || waitedSeconds(c) < silenceSeconds)) return undefined;
    return {
      confidence: 'likely',
      summary: `${claimText(c)} asks for ${modes.join(', ')} together, and ${clash ?? 'a CSI volume cannot have all of them'}.`,
      evidence: [field(c.claim, 'spec.accessModes'), ...saidOnClaim(c, said)],
      fix: [useOneMode(c, modes)],
    };
  },
});

/** The mode that grants the most to the pods, unless one pod alone was asked for. */
function useOneMode(c: PresentClaim, modes: readonly string[]): Fix {
  const mode =
    ['ReadWriteOncePod', 'ReadWriteMany', 'ReadWriteOnce', 'ReadOnlyMany'].find((each) => modes.includes(each)) ?? '';
  return recreateClaim(c, `with the one access mode that its pods need, for example ${mode}`, {
    spec: { accessModes: [mode] },
  });
}

function clashOf(modes: readonly string[]): string | undefined {
  if (modes.includes('ReadWriteOncePod')) return 'ReadWriteOncePod allows no other mode next to it';
  if (modes.includes('ReadOnlyMany') && modes.includes('ReadWriteOnce') && !modes.includes('ReadWriteMany'))
    return 'a CSI volume cannot be both ReadOnlyMany and ReadWriteOnce';
  return undefined;
}
