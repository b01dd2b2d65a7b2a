import { field, fix } from '../../facts/evidence.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { failure, hasFailed, provisionerOf, waitedSeconds } from './provisioner.ts';

const silenceSeconds = 120;

/** csi-lib-utils accessmodes: one volume has one mode in CSI, and not every set of modes of a claim comes down to one. */
export const provisionAccessmodeCombination = claimRule({
  cause: 'provision-accessmode-combination',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const modes = c.claim.spec?.accessModes ?? [];
    if (modes.length < 2 || provisionerOf(c)?.isCsi === false) return undefined;
    const clash = clashOf(modes);
    const said = failure(
      c,
      /does not support use of ReadWriteOncePod with other access modes|CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume|unsupported AccessMode combination/i,
    );
    // The provisioner sends each mode to the driver separately, so any other error counts more.
    if (!said && (clash === undefined || hasFailed(c) || waitedSeconds(c) < silenceSeconds)) return undefined;
    return {
      confidence: 'likely',
      summary: `the claim asks for ${modes.join(', ')} at once, and ${clash ?? 'a CSI volume cannot have all of them'}`,
      evidence: [field(c.claim, 'spec.accessModes'), ...saidOnClaim(c, said)],
      fix: [
        fix(
          'delete the claim and make it again with the one access mode that its pods need',
          deleteClaimCommand(c),
          'disruptive',
        ),
      ],
    };
  },
});

function clashOf(modes: readonly string[]): string | undefined {
  if (modes.includes('ReadWriteOncePod')) return 'ReadWriteOncePod allows no other mode beside it';
  if (modes.includes('ReadOnlyMany') && modes.includes('ReadWriteOnce') && !modes.includes('ReadWriteMany'))
    return 'a CSI volume cannot be both ReadOnlyMany and ReadWriteOnce';
  return undefined;
}
