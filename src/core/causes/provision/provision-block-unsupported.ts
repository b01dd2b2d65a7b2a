import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { failure, isInTree, provisionerOf, spokenBy, waitedSeconds } from './provisioner.ts';
import { blockRefusal } from '../lib/driver-error/senses/request.ts';

const silenceSeconds = 120;

/** lib canProvision: provisioners that are no CSI drivers refuse block volumes once, and are silent then; a CSI driver refuses each call. */
export const provisionBlockUnsupported = claimRule({
  cause: 'provision-block-unsupported',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    if (c.claim.spec?.volumeMode !== 'Block') return undefined;
    const provisioner = provisionerOf(c);
    const said = failure(c, blockRefusal);
    // Without the one event: most of them cannot, but nobody says so.
    const isSuspect =
      provisioner !== undefined &&
      !provisioner.isCsi &&
      !isInTree(provisioner) &&
      spokenBy(c).length === 0 &&
      waitedSeconds(c) > silenceSeconds;
    if (!said && !isSuspect) return undefined;
    return {
      confidence: said ? 'likely' : 'possible',
      summary: `the claim wants a raw block volume, which ${provisioner?.name ?? `class ${c.class.name}`} ${said ? 'does not make' : 'most likely does not make'}`,
      evidence: [field(c.claim, 'spec.volumeMode'), ...(said ? [eventSaid(c.claim, said.event)] : [])],
      fix: [
        fix(
          'delete the claim and make it again with volumeMode: Filesystem, or with a class whose driver makes block volumes',
          `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
          'disruptive',
        ),
      ],
    };
  },
});
