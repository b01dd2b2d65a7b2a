import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix } from '../../facts/evidence.ts';
import { reviveWebhook, unansweredWebhookIn } from '../lib/unanswered-webhook.ts';
import { answerRule, logsOf, tellWords } from './driver-answer.ts';
import { isOrphaned, removeOrphan } from './orphaned-volume.ts';
import type { ProvisionError } from './provision-error.ts';
import { admissionPolicyText, webhookNameText } from '../lib/driver-error/senses/kubernetes.ts';

/** sig-storage-lib provisionClaimOperation: the volume exists, and its PersistentVolume object cannot be saved. */
export const provisionPvSaveFailed = answerRule('provision-pv-save-failed', 'saveFailed', (c, error, driver) => ({
  summary: isOrphaned(error)
    ? tellWords(
        `${driver} created the volume, its PersistentVolume object could not be saved, and the volume could not be deleted again`,
        error,
        'it was left behind on the storage',
      )
    : tellWords(`${driver} created the volume, but its PersistentVolume object could not be saved`, error),
  fix: isOrphaned(error) ? [...removeOrphan(error), ...logsOf(c)] : [...acceptVolume(c, error), ...logsOf(c)],
}));

/** The refusal names the webhook or the policy. */
function acceptVolume(c: PresentClaim, { text }: ProvisionError): Fix[] {
  const unanswered = unansweredWebhookIn(c.ask, text);
  if (unanswered)
    return reviveWebhook(c.ask, unanswered, c.now, 'The provisioner then saves the object at its next retry.');
  const webhook = webhookNameText.exec(text)?.[1];
  if (webhook !== undefined)
    return [
      fix(
        `Let admission webhook "${webhook}" accept PersistentVolumes of this driver, or change what it refuses. ` +
          'The provisioner then saves the object at its next retry.',
      ),
    ];
  const policy = admissionPolicyText.exec(text)?.[1];
  return [
    fix(
      `Let ${policy === undefined ? 'the admission rule or validation that the error names' : `ValidatingAdmissionPolicy "${policy}"`} ` +
        'accept PersistentVolumes of this driver, or change what is refused. ' +
        'The provisioner then saves the object at its next retry.',
    ),
  ];
}
