import type { Fix } from '../../report/report.ts';
import { nearestName } from '../../kube/names.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { cloneFailureOf, cloneRefusal, otherSourcesText } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';

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
      : explainTold(c, failure, {
          summary: `${summaryOf(c, source)} The provisioner reports it.`,
          fix: [useOther(c, source, undefined)],
        });
  },
});

function summaryOf(c: PresentClaim, source: DataSource): string {
  return `pvc/${source.name}, from which ${claimText(c)} is to be cloned, does not exist in namespace ${source.namespace}.`;
}

function explainObjects(c: PresentClaim, source: DataSource): Explanation {
  const { elsewhere, near } = hintOf(c, source);
  const place =
    elsewhere === undefined
      ? ''
      : ` A claim of that name exists in namespace ${elsewhere}, but a claim can only be cloned in its own namespace.`;
  return {
    summary: `${summaryOf(c, source)}${place}${near === undefined ? '' : ` The closest match is "${near}".`}`,
    evidence: [
      sourceEvidence(c, source),
      absent('PersistentVolumeClaim', source.name, source.namespace),
      ...cloneRefusal(c, 'missing'),
    ],
    fix: [useOther(c, source, near)],
  };
}

/** Where the source probably is, or which one was probably intended. */
function hintOf(
  c: PresentClaim,
  source: DataSource,
): { readonly elsewhere?: string | undefined; readonly near?: string | undefined } {
  const siblings = c.ask.list('PersistentVolumeClaim', source.namespace).items.map(({ metadata }) => metadata.name);
  const elsewhere = c.ask
    .seen('PersistentVolumeClaim')
    .find(({ metadata }) => metadata.name === source.name && metadata.namespace !== source.namespace);
  if (elsewhere?.metadata.namespace) return { elsewhere: elsewhere.metadata.namespace };
  return {
    near: nearestName(
      source.name,
      siblings.filter((name) => name !== c.name),
    ),
  };
}

function useOther(c: PresentClaim, source: DataSource, near: string | undefined): Fix {
  return near === undefined
    ? recreateClaim(
        c,
        `from a claim that exists in namespace ${source.namespace} (PLACEHOLDER_SOURCE${otherSourcesText(c, source.name)})`,
        sourceChange(c, { name: 'PLACEHOLDER_SOURCE' }),
      )
    : recreateClaim(c, `from pvc/${near}, if that one is meant`, sourceChange(c, { name: near }));
}
