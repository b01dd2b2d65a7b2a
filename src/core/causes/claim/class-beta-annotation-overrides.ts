import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';

/** Kubernetes reads the annotation first everywhere; external-provisioner reads only the field when it clones or runs on each node. */
export const classBetaAnnotationOverrides = claimRule({
  cause: 'class-beta-annotation-overrides',
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    const annotated = c.annotation(betaClassAnnotation);
    const named = c.claim.spec?.storageClassName;
    if (annotated === undefined || annotated === named) return undefined;
    // An old claim that has its volume lost nothing by leaving the field out.
    if (named === undefined && c.isBound) return undefined;
    const shown = annotated === '' ? '""' : annotated;
    return {
      summary:
        named === undefined
          ? `the class ${shown} stands only in an old annotation, which some provisioners do not read`
          : `an old annotation asks for class ${shown} and overrides class ${named === '' ? '""' : named} of the spec`,
      evidence: [
        field(c.claim, `metadata.annotations[${betaClassAnnotation}]`, annotated),
        field(c.claim, 'spec.storageClassName', named),
      ],
      fix: [
        c.isBound
          ? fix('leave the claim as it is, and make the next one without the annotation')
          : fix(
              'make the claim again without the annotation and with the class in spec.storageClassName',
              `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
              'disruptive',
            ),
      ],
    };
  },
});
