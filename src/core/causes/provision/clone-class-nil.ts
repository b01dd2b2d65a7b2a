import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { cloneFailureOf, cloneRefusal } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';

/** external-provisioner getPVCSource: both the source and the clone need a class in spec.storageClassName. */
export const cloneClassNil = claimRule({
  cause: 'clone-class-nil',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'classNil') return undefined;
    const { source } = failure;
    if (failure.by === 'provisioner')
      return explainTold(c, failure, {
        summary: `the claim or pvc/${source.name}, which is to be cloned, has no spec.storageClassName`,
        fix: [addClass(c)],
      });
    const isSource = failure.culprit === 'source';
    const which = isSource ? `pvc/${source.name}, which is to be cloned,` : 'the claim';
    return {
      summary: `${which} has no spec.storageClassName, and cloning does not look at the old annotation`,
      evidence: [
        field(isSource ? failure.original.claim : c.claim, 'spec.storageClassName'),
        sourceEvidence(c, source),
        ...cloneRefusal(c, 'classNil'),
      ],
      fix: [isSource ? useSnapshot(source) : addClass(c)],
    };
  },
});

function addClass(c: PresentClaim): Fix {
  return remakeClaim(c, 'with spec.storageClassName');
}

function useSnapshot(source: DataSource): Fix {
  return fix(
    'look at the source, take a snapshot of it and restore from that: the class of a bound claim cannot be set afterwards',
    `kubectl ${inNamespace(source.namespace)}get pvc ${shellWord(source.name)} -o yaml`,
  );
}
