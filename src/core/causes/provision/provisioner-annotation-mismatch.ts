import type { Fix } from '../../report/report.ts';
import { storageProvisionerAnnotations } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';
import { claimRule } from '../lib/rule.ts';
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
      summary: `the claim was handed to ${asked}, but class ${storageClass.metadata.name} names ${c.provisioner} now: neither of them takes it`,
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
      'remove the old annotations: kube-controller-manager writes the right ones within seconds',
      `kubectl ${inNamespace(c.namespace)}annotate pvc ${shellWord(c.name)} ${removals}`,
    ),
    fix('or delete the claim and make it again', deleteClaimCommand(c), 'disruptive'),
  ];
}
