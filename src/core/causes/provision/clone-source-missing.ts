import type { Fix } from '../../report/report.ts';
import { nearestName } from '../../kube/names.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, fix, inNamespace } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { cloneFailureOf, cloneRefusal } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';

/** external-provisioner getPVCSource reads the source claim first. */
export const cloneSourceMissing = claimRule({
  cause: 'clone-source-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'missing') return undefined;
    const { source } = failure;
    return failure.by === 'objects'
      ? explainObjects(c, source)
      : explainTold(c, failure, { summary: summaryOf(source), fix: [useOther(c)] });
  },
});

function summaryOf(source: DataSource): string {
  return `pvc/${source.name}, which is to be cloned, does not exist in namespace ${source.namespace}`;
}

function explainObjects(c: PresentClaim, source: DataSource): Explanation {
  return {
    summary: `${summaryOf(source)}${hintText(c, source)}`,
    evidence: [
      sourceEvidence(c, source),
      absent('PersistentVolumeClaim', source.name, source.namespace),
      ...cloneRefusal(c, 'missing'),
    ],
    fix: [fix('look which claims there are', `kubectl ${inNamespace(source.namespace)}get pvc`), useOther(c)],
  };
}

/** Where the source was probably meant to be, or which one was probably meant. */
function hintText(c: PresentClaim, source: DataSource): string {
  const siblings = c.ask.list('PersistentVolumeClaim', source.namespace).items.map(({ metadata }) => metadata.name);
  const elsewhere = c.ask
    .seen('PersistentVolumeClaim')
    .find(({ metadata }) => metadata.name === source.name && metadata.namespace !== source.namespace);
  if (elsewhere?.metadata.namespace)
    return `; there is one of that name in namespace ${elsewhere.metadata.namespace}, where it does not count`;
  const near = nearestName(
    source.name,
    siblings.filter((name) => name !== c.name),
  );
  return near ? `; did you mean ${near}?` : '';
}

function useOther(c: PresentClaim): Fix {
  return remakeClaim(c, 'from a claim that exists in the same namespace');
}
