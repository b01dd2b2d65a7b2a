import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';
import { field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { deleteClaimCommand } from './delete-claim.ts';

/** Kubernetes reads the annotation first everywhere; external-provisioner reads only the field when it clones or runs on each node. */
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
      fix: [advise(c)],
    };
  },
});

function summaryOf(annotated: string, named: string | undefined): string {
  const asked = annotated === '' ? '""' : annotated;
  if (named === undefined)
    return `the class ${asked} stands only in an old annotation, which some provisioners do not read`;
  const overridden = named === '' ? '""' : named;
  return `an old annotation asks for class ${asked} and overrides class ${overridden} of the spec`;
}

function advise(c: PresentClaim): Fix {
  if (c.isBound) return fix('leave the claim as it is, and make the next one without the annotation');
  return fix(
    'make the claim again without the annotation and with the class in spec.storageClassName',
    deleteClaimCommand(c),
    'disruptive',
  );
}
