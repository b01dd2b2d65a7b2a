import type { Fix } from '../../report/report.ts';
import { elsewhereTexts, holderIn, holderTexts, saysAttachedElsewhere } from '../lib/driver-error/senses/use.ts';
import { saysCredentials } from '../lib/driver-error/senses/credentials.ts';
import { steps } from '../lib/steps.ts';
import { storageViewOf, viewCommands, viewWords } from '../lib/storage-view.ts';
import { attachmentsOf } from '../../facts/volume/volume-use.ts';
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
    summary:
      `${refusalText(trouble, error, 'could not attach', holderTexts.test(error.words) ? holderTexts : elsewhereTexts)} ` +
      `${holding ? `The storage has it in use ${holding.words}.` : whereUnknown(trouble, error)}`,
    evidence: [error.evidence, ...handleEvidence(trouble), ...(holding?.evidence ?? [])],
    fix: holding?.fix ?? unknownHolderFixes(trouble, error),
  };
});

function whereUnknown(trouble: AttachTrouble, { words }: AttachError): string {
  const holder = holderIn(words);
  const isSeen = isWithoutAttachment(trouble);
  if (holder !== undefined)
    return `The storage names the machine that has it: ${holder}${isSeen ? ', for which Kubernetes has no attachment' : ''}.`;
  return `The storage has it in use${isSeen ? ', and Kubernetes has no attachment of it to another node' : ' elsewhere'}.`;
}

/** All attachments were read, and none is for another node. */
function isWithoutAttachment({ ask, driver, volumeName, node }: AttachTrouble): boolean {
  if (driver === undefined) return false;
  const { complete } = ask.list('VolumeAttachment', undefined, `to which other nodes pv/${volumeName} is attached`);
  return complete && attachmentsOf(ask, volumeName).every(({ spec }) => spec?.nodeName === node);
}

function unknownHolderFixes(trouble: AttachTrouble, { words }: AttachError): Fix[] {
  const holder = holderIn(words);
  const volume = volumeObjectOf(trouble);
  const name = handleText(volume) ?? trouble.volumeText;
  const view = storageViewOf(trouble.driver, volume);
  const kinds = 'one that left the cluster, one of another cluster, or one to which it was attached by hand';
  return [
    steps(
      holder !== undefined
        ? `Ask the owner of ${holder} to stop what uses ${name} there, if anything does, and to let go of it. ` +
            `It is a machine that has no node of that name here: ${kinds}.${viewWords(view)} ${retryText(trouble)}`
        : `Ask ${view.team} to which machine ${name} is attached: ${kinds}. ` +
            `Stop what uses it there.${viewWords(view)} ${retryText(trouble)}`,
      viewCommands(view),
    ),
    steps(
      'Have it detached from that machine in the storage, once nothing there has it mounted. Two writers destroy a file system.',
      [],
      'data-loss',
    ),
  ];
}
