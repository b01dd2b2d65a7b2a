import { field, fix } from '../../facts/evidence.ts';
import { answerRule, logsOf } from './driver-answer.ts';
import { remakeClaim } from './remake-claim.ts';

/** CSI spec, CreateVolume: the name is the key, so the same name with other content is an error. */
export const provisionAlreadyExists = answerRule('provision-already-exists', 'alreadyExists', (c, _error, driver) => ({
  summary: `${driver} already has a volume named pvc-${c.claim.metadata.uid ?? ''} that differs from what the claim asks for now: the class was probably changed halfway`,
  evidence: [field(c.claim, 'metadata.uid')],
  fix: [
    remakeClaim(c, 'under the same name: it gets a new uid, and so a new volume'),
    fix('then remove the half-made volume on the storage side, which no object knows'),
    ...logsOf(c),
  ],
}));
