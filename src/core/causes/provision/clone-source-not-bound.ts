import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { cloneFailureOf, cloneRefusal, describeSource } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';

const freshSeconds = 60;

/** external-provisioner getPVCSource: only a claim in phase Bound can be cloned. */
export const cloneSourceNotBound = claimRule({
  cause: 'clone-source-not-bound',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'notBound') return undefined;
    const { source } = failure;
    if (failure.by === 'objects') return explainObjects(c, source, failure.original);
    return explainTold(c, failure, {
      summary: `pvc/${source.name}, which is to be cloned, is not bound`,
      fix: [describeSource(source)],
    });
  },
});

function explainObjects(c: PresentClaim, source: DataSource, original: PresentClaim): Explanation {
  const isSelf = source.name === c.name && source.namespace === c.namespace;
  return {
    severity: original.ageSeconds < freshSeconds && !isSelf ? 'info' : 'blocking',
    summary: isSelf ? 'the claim names itself as the claim to be cloned' : summaryOf(source, original),
    evidence: [sourceEvidence(c, source), field(original.claim, 'status.phase'), ...cloneRefusal(c, 'notBound')],
    fix: [isSelf ? remakeClaim(c, 'from another claim') : explainSource(source)],
  };
}

function summaryOf(source: DataSource, original: PresentClaim): string {
  const phase = original.claim.status?.phase ?? 'not set';
  const why = waitsForPod(original) ? ': it waits for the first pod that uses it' : '';
  return `pvc/${source.name}, which is to be cloned, is not bound (${phase})${why}`;
}

function waitsForPod(original: PresentClaim): boolean {
  return (
    original.isDelayed === true &&
    original.selectedNode === undefined &&
    original.consumers.complete &&
    original.consumers.items.length === 0
  );
}

function explainSource(source: DataSource): Fix {
  return fix(
    `mend pvc/${source.name} first: the clone then goes on by itself`,
    `kubectl csi why-pending pvc/${shellWord(source.name)} ${inNamespace(source.namespace)}`.trim(),
  );
}
