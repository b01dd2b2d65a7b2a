import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { failure, isInTree, provisionerOf, spokenBy, waitedSeconds } from './provisioner.ts';
import { blockRefusal } from '../lib/driver-error/senses/request.ts';

const silenceSeconds = 120;

/** lib canProvision: provisioners that are no CSI drivers refuse block volumes once and then report nothing; a CSI driver refuses each call. */
export const provisionBlockUnsupported = claimRule({
  cause: 'provision-block-unsupported',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    if (c.claim.spec?.volumeMode !== 'Block') return undefined;
    const said = failure(c, blockRefusal);
    if (!said && !isSuspect(c)) return undefined;
    const maker = provisionerOf(c)?.name ?? `class ${c.class.name}`;
    return {
      confidence: said ? 'likely' : 'possible',
      summary: `the claim wants a raw block volume, which ${maker} ${said ? 'does not make' : 'most likely does not make'}`,
      evidence: [field(c.claim, 'spec.volumeMode'), ...saidOnClaim(c, said)],
      fix: [
        fix(
          'delete the claim and make it again with volumeMode: Filesystem, or with a class whose driver makes block volumes',
          deleteClaimCommand(c),
          'disruptive',
        ),
      ],
    };
  },
});

/** The one event may have expired: a provisioner that is no CSI driver and stays silent most likely cannot do it. */
function isSuspect(c: PresentClaim): boolean {
  const provisioner = provisionerOf(c);
  return (
    provisioner !== undefined &&
    !provisioner.isCsi &&
    !isInTree(provisioner) &&
    spokenBy(c).length === 0 &&
    waitedSeconds(c) > silenceSeconds
  );
}
