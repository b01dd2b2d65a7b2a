import type { Fix } from '../../report/report.ts';
import { storageProvisionerAnnotations } from '../../facts/claim/claim-annotations.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { kubectl } from '../lib/steps.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { driverOfInTree } from './in-tree.ts';

/** The volume controller rewrites the annotation when it next looks at the claim, every 15 s. */
const rewriteSeconds = 60;

/** lib provisionClaimOperation: a provisioner that finds another name in the class drops the claim without a word. */
export const provisionerAnnotationMismatch = claimRule({
  cause: 'provisioner-annotation-mismatch',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const storageClass = c.storageClassObject;
    const asked = c.askedProvisioner;
    if (!storageClass || c.provisioner === undefined || asked === undefined || c.ageSeconds < rewriteSeconds)
      return undefined;
    if (asked === c.provisioner || asked === driverOfInTree(c.provisioner)) return undefined;
    const annotation = storageProvisionerAnnotations.find((name) => c.annotation(name)) ?? '';
    return {
      summary:
        `${claimText(c)} was handed to ${asked}, and StorageClass "${storageClass.metadata.name}" names ` +
        `${c.provisioner} now. Neither of them acts on the claim.`,
      evidence: [
        field(c.claim, `metadata.annotations[${annotation}]`, asked),
        field(storageClass, 'provisioner'),
        field(storageClass, 'metadata.creationTimestamp'),
      ],
      fix: advise(c),
    };
  },
});

function advise(c: PresentClaim): Fix[] {
  const removals = storageProvisionerAnnotations.map((name) => `${name}-`).join(' ');
  return [
    fix(
      'Remove the old annotations. kube-controller-manager writes the right ones within seconds, and the claim is provisioned.',
      kubectl('annotate', c.claim, removals),
    ),
    recreateClaim(c, 'as it is', { spec: {} }),
  ];
}
