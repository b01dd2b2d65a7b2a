import { storageProvisionerAnnotations } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { driverOfInTree } from './in-tree.ts';

/** The volume controller rewrites the annotation at its next look at the claim, every 15 s. */
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
      fix: [
        fix(
          'remove the old annotations: kube-controller-manager writes the right ones within seconds',
          `kubectl ${inNamespace(c.namespace)}annotate pvc ${shellWord(c.name)} ${storageProvisionerAnnotations.map((name) => `${name}-`).join(' ')}`,
        ),
        fix(
          'or delete the claim and make it again',
          `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
          'disruptive',
        ),
      ],
    };
  },
});
