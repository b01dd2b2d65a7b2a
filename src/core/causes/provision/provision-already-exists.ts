import { field, fix } from '../../facts/evidence.ts';
import { answerRule, tellWords } from './driver-answer.ts';
import { requestKnownTexts } from '../lib/driver-error/senses/cloud.ts';
import { recreateClaim } from '../lib/remake-claim.ts';

/** CSI spec, CreateVolume: the name is the key, so the same name with other content is an error. */
export const provisionAlreadyExists = answerRule('provision-already-exists', 'alreadyExists', (c, error, driver) => {
  const name = `pvc-${c.claim.metadata.uid ?? ''}`;
  return {
    summary: tellWords(
      requestKnownTexts.test(error.text)
        ? `${driver} has had a request for volume ${name} before, with other parameters, and the storage refuses to repeat the name with these`
        : `${driver} already has a volume named ${name} that differs from what the claim asks for now`,
      error,
    ),
    evidence: [field(c.claim, 'metadata.uid')],
    fix: [
      recreateClaim(c, 'as it is', { spec: {} }, 'It gets a new uid, and so a volume with a new name.'),
      ...(requestKnownTexts.test(error.text)
        ? []
        : [
            fix(
              `Ask your storage team to delete the volume ${name}, if no one needs it: no PersistentVolume refers to it.`,
              undefined,
              'data-loss',
            ),
          ]),
    ],
  };
});
