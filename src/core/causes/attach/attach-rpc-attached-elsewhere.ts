import type { Fix } from '../../report/report.ts';
import { elsewhereTexts, holderIn, holderTexts, saysAttachedElsewhere } from '../lib/driver-error/senses/use.ts';
import { saysCredentials } from '../lib/driver-error/senses/credentials.ts';
import { steps } from '../lib/steps.ts';
import { retryText } from './attach-retry.ts';
import { driverAnswerOf, refusalText } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import type { AttachError } from './attach-error.ts';
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
    summary: `${refusalText(trouble, error, 'could not attach', holderIn(error.words) === undefined ? elsewhereTexts : holderTexts)} ${holding ? `The storage has it in use ${holding.words}.` : whereUnknown(trouble, error)}`,
    evidence: [error.evidence, ...handleEvidence(trouble), ...(holding?.evidence ?? [])],
    fix: holding?.fix ?? unknownHolderFixes(trouble, error),
  };
});

function whereUnknown({ driver }: AttachTrouble, { words }: AttachError): string {
  const holder = holderIn(words);
  if (holder !== undefined && driver !== undefined)
    return `The storage names the machine that has it: ${holder}, for which Kubernetes has no attachment.`;
  return driver === undefined
    ? 'The storage has it in use elsewhere.'
    : 'The storage has it in use, and Kubernetes has no attachment of it to another node.';
}

function unknownHolderFixes(trouble: AttachTrouble, { words }: AttachError): Fix[] {
  const holder = holderIn(words);
  const name = handleText(volumeObjectOf(trouble)) ?? trouble.volumeText;
  return [
    steps(
      holder !== undefined
        ? `Ask the owner of ${holder} to stop what uses ${name} there, if anything does, and to let go of it: it is a machine that left the cluster, one of another cluster, or one to which the volume was attached by hand. ${retryText(trouble)}`
        : `Ask your storage team to which machine ${name} is attached: one that left the cluster, one of another cluster, or one to which it was attached by hand. Stop what uses it there. ${retryText(trouble)}`,
      [],
    ),
    steps(
      'Have it detached from that machine in the storage, once nothing there has it mounted. Two writers destroy a file system.',
      [],
      'data-loss',
    ),
  ];
}
