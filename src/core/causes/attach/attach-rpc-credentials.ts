import type { Evidence } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
import { shortWords } from '../lib/driver-error/quote.ts';
import { answerOf, driverLogs } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { credentialTexts, saysCredentials } from '../lib/driver-error/senses/credentials.ts';

/** The storage refuses the driver's own rights; the secret of the volume, if any, could be read. */
export const attachRpcCredentials = attachRules('attach-rpc-credentials', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || !saysCredentials(error) || /is forbidden: User/.test(error.raw)) return undefined;
  const { lead, driver } = trouble;
  return {
    confidence: confidenceOf(trouble),
    ...(driver !== undefined && { about: driver }),
    summary: `${lead}: the storage refuses the credentials or the rights of ${driver ?? 'the driver'}: ${shortWords(error, credentialTexts)}`,
    evidence: [error.evidence, ...secretEvidence(trouble)],
    fix: [
      fix(
        `give the identity of the driver's controller the right to attach volumes (cloud role, or the secret with the login)`,
        undefined,
      ),
      ...driverLogs(trouble),
    ],
  };
});

function secretEvidence(trouble: AttachTrouble): Evidence[] {
  const volume = volumeObjectOf(trouble);
  const reference = volume?.spec?.csi?.controllerPublishSecretRef;
  return volume && reference?.name
    ? [field(volume, 'spec.csi.controllerPublishSecretRef', `${reference.namespace ?? ''}/${reference.name}`)]
    : [];
}
