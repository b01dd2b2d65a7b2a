import { fix } from '../../facts/evidence.ts';
import { answerRule, logsOf } from './driver-answer.ts';
import { isOrphaned, removeOrphan } from './orphaned-volume.ts';

/** sig-storage-lib provisionClaimOperation: the volume exists, and its PersistentVolume object cannot be saved. */
export const provisionPvSaveFailed = answerRule('provision-pv-save-failed', 'saveFailed', (c, error, driver) => ({
  summary: `${driver} made the volume, but its PersistentVolume object was refused by the API server${isOrphaned(error) ? ', and the volume is left over on the storage side' : ''}`,
  fix: [
    fix(
      'see what refuses the object: a webhook on PersistentVolumes, or an admission policy',
      'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
    ),
    ...removeOrphan(error),
    ...logsOf(c),
  ],
}));
