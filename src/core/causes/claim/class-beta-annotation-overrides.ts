import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';
import { field } from '../../facts/evidence.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';

/**
 * Kubernetes reads the annotation first everywhere; external-provisioner reads only the field when it clones or runs on
 * each node.
 */
export const classBetaAnnotationOverrides = claimRule({
  cause: 'class-beta-annotation-overrides',
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    const annotated = c.annotation(betaClassAnnotation);
    const named = c.claim.spec?.storageClassName;
    if (annotated === undefined || annotated === named) return undefined;
    // For a claim that is bound already the missing field makes no difference.
    if (named === undefined && c.isBound) return undefined;
    return {
      summary: summaryOf(annotated, named),
      evidence: [
        field(c.claim, `metadata.annotations[${betaClassAnnotation}]`, annotated),
        field(c.claim, 'spec.storageClassName', named),
      ],
      fix: [advise(c, annotated)],
    };
  },
});

function summaryOf(annotated: string, named: string | undefined): string {
  return named === undefined
    ? `The claim names class "${annotated}" only in the old annotation ${betaClassAnnotation}, which some provisioners do not read.`
    : `The old annotation ${betaClassAnnotation} asks for class "${annotated}" and overrides class "${named}" of the spec.`;
}

function advise(c: PresentClaim, annotated: string): Fix {
  if (c.isBound)
    return steps('Leave the claim as it is; create the next one with the class in spec.storageClassName.', []);
  return recreateClaim(
    c,
    `with class "${annotated}" in spec.storageClassName and without the annotation`,
    classChange(c, annotated),
  );
}
