import type { Rule } from '../../lib/rule.ts';
import { healthAbnormalEvent, healthAbnormalEventOfPod } from '../health-abnormal-event.ts';
import { healthNodeFailed } from '../health-node-failed.ts';
import { healthPodVolume } from '../health-pod-volume.ts';
import { healthPvcStatus } from '../health-pvc-status.ts';
import { healthStorageBackend, healthStorageBackendOfPod } from '../health-storage-backend.ts';
import { pvcUnused } from '../pvc-unused.ts';

/** What drivers, monitors and nodes report about volumes that are in use: advice next to any other finding. */
export const healthRules: readonly Rule[] = [
  healthPvcStatus,
  healthPodVolume,
  healthStorageBackend,
  healthStorageBackendOfPod,
  healthAbnormalEvent,
  healthAbnormalEventOfPod,
  healthNodeFailed,
  pvcUnused,
];
