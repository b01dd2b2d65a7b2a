import type { Claim } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { cloneFailureOf, cloneRefusal } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';

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
        summary:
          `${claimText(c)} cannot be cloned from pvc/${source.name}: ` +
          'the provisioner reports that one of the two has no spec.storageClassName.',
        fix: [setClass(c, c.claim)],
      });
    const isSource = failure.culprit === 'source';
    const culprit = isSource ? failure.original.claim : c.claim;
    const which = isSource ? `The source, pvc/${source.name},` : 'The claim';
    return {
      summary:
        `${claimText(c)} cannot be cloned from pvc/${source.name}. ` +
        `${which} has no spec.storageClassName, and cloning ignores the old annotation.`,
      evidence: [
        field(culprit, 'spec.storageClassName'),
        ...annotationEvidence(culprit),
        sourceEvidence(c, source),
        ...cloneRefusal(c, 'classNil'),
      ],
      fix: [setClass(c, culprit)],
    };
  },
});

function annotationEvidence(claim: Claim): ReturnType<typeof field>[] {
  const value = claim.metadata.annotations?.[betaClassAnnotation];
  return value === undefined ? [] : [field(claim, `metadata.annotations[${betaClassAnnotation}]`, value)];
}

/**
 * ValidatePersistentVolumeClaimUpdate lets the field be filled in from the annotation, or where neither was set, also
 * on a bound claim.
 */
function setClass(c: PresentClaim, culprit: Claim): Fix {
  const name = culprit.metadata.annotations?.[betaClassAnnotation] ?? (c.class.name || 'PLACEHOLDER_CLASS');
  const missing = name === 'PLACEHOLDER_CLASS' ? ' PLACEHOLDER_CLASS is the StorageClass of the source.' : '';
  return steps(
    `Set spec.storageClassName of pvc/${culprit.metadata.name}: ` +
      `a field that is not set may be filled in.${missing} The provisioner then retries the ` +
      'clone within 5 minutes.',
    [patchCommand(culprit, { spec: { storageClassName: name } })],
  );
}
