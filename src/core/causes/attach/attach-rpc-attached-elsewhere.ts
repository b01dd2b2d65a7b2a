import { fix } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { shortWords } from '../lib/driver-error/quote.ts';
import { answerOf, driverLogs } from './attach-rpc.ts';
import { attachRules, confidenceOf } from './attach-trouble.ts';
import { elsewhereTexts, saysAttachedElsewhere } from '../lib/driver-error/senses/use.ts';
import { saysCredentials } from '../lib/driver-error/senses/credentials.ts';
import { handleEvidence, holdingNodeOf } from './holding-node.ts';

/**
 * ControllerPublishVolume FAILED_PRECONDITION: the storage has the volume on a machine for which Kubernetes has no
 * attachment.
 */
export const attachRpcAttachedElsewhere = attachRules('attach-rpc-attached-elsewhere', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || !saysAttachedElsewhere(error) || saysCredentials(error)) return undefined;
  const holding = holdingNodeOf(trouble, error);
  const where = holding?.words ?? whereUnknown(trouble.driver);
  return {
    confidence: confidenceOf(trouble),
    summary: `${trouble.lead}: the storage has it in use ${where}: ${shortWords(error, elsewhereTexts)}`,
    evidence: [error.evidence, ...handleEvidence(trouble), ...(holding?.evidence ?? [])],
    fix: [...(holding?.fix ?? unknownHolderFixes()), ...driverLogs(trouble)],
  };
});

function whereUnknown(driver: string | undefined): string {
  return `elsewhere${driver === undefined ? '' : ', on a machine for which Kubernetes holds no attachment'}`;
}

function unknownHolderFixes(): Fix[] {
  return [
    fix(
      'find out who uses it: a machine that left the cluster, another cluster, or someone who attached it by hand',
      undefined,
    ),
    fix(
      'data-loss: detach it in the storage, once nothing there has it mounted; two writers destroy a file system',
      undefined,
      'data-loss',
    ),
  ];
}
