import type { Fix } from '../../report/report.ts';
import { elsewhereTexts, saysAttachedElsewhere } from '../lib/driver-error/senses/use.ts';
import { saysCredentials } from '../lib/driver-error/senses/credentials.ts';
import { steps } from '../lib/steps.ts';
import { retryText } from './attach-retry.ts';
import { driverAnswerOf, refusalText } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { handleEvidence, handleText, holdingNodeOf } from './holding-node.ts';

/**
 * ControllerPublishVolume FAILED_PRECONDITION: the storage has the volume on a machine for which Kubernetes has no
 * attachment.
 */
export const attachRpcAttachedElsewhere = attachRules('attach-rpc-attached-elsewhere', 'blocking', (trouble) => {
  const error = driverAnswerOf(trouble);
  if (!error || !saysAttachedElsewhere(error) || saysCredentials(error)) return undefined;
  const holding = holdingNodeOf(trouble, error);
  return {
    confidence: confidenceOf(trouble),
    summary: `${refusalText(trouble, error, 'could not attach', elsewhereTexts)} ${holding ? `The storage has it in use ${holding.words}.` : whereUnknown(trouble)}`,
    evidence: [error.evidence, ...handleEvidence(trouble), ...(holding?.evidence ?? [])],
    fix: holding?.fix ?? unknownHolderFixes(trouble),
  };
});

function whereUnknown({ driver }: AttachTrouble): string {
  return driver === undefined
    ? 'The storage has it in use elsewhere.'
    : 'The storage has it in use on a machine for which Kubernetes has no attachment.';
}

function unknownHolderFixes(trouble: AttachTrouble): Fix[] {
  const name = handleText(volumeObjectOf(trouble)) ?? trouble.volumeText;
  return [
    steps(
      `Ask your storage team to which machine ${name} is attached: one that left the cluster, one of another cluster, or one to which it was attached by hand. Stop what uses it there. ${retryText(trouble)}`,
      [],
    ),
    steps(
      'Have it detached from that machine in the storage, once nothing there has it mounted. Two writers destroy a file system.',
      [],
      'data-loss',
    ),
  ];
}
