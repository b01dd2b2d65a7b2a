import { podTemplate } from '../pod-shapes.ts';
import { boolean, list, number, quantity, record, string } from '../shape.ts';
import { claimSpec, condition, labelSelector, metadata } from '../shared-shapes.ts';

const workloadSpec = record({
  replicas: number,
  selector: labelSelector,
  template: podTemplate,
  volumeClaimTemplates: list(record({ metadata, spec: claimSpec })),
  ordinals: record({ start: number }),
  podManagementPolicy: string,
  persistentVolumeClaimRetentionPolicy: record({ whenDeleted: string, whenScaled: string }),
});
const workloadStatus = record({
  replicas: number,
  readyReplicas: number,
  availableReplicas: number,
  currentReplicas: number,
  desiredNumberScheduled: number,
  numberReady: number,
  numberAvailable: number,
  conditions: list(condition),
});

/** What creates pods, and what protects them. */
export const workloadShapes = {
  StatefulSet: { spec: workloadSpec, status: workloadStatus },
  Deployment: { spec: workloadSpec, status: workloadStatus },
  ReplicaSet: { spec: workloadSpec, status: workloadStatus },
  DaemonSet: { spec: workloadSpec, status: workloadStatus },
  PodDisruptionBudget: {
    spec: record({ selector: labelSelector, minAvailable: quantity, maxUnavailable: quantity }),
    status: record({
      disruptionsAllowed: number,
      currentHealthy: number,
      desiredHealthy: number,
      expectedPods: number,
    }),
  },
  Job: { spec: record({ suspend: boolean, template: podTemplate }) },
  CronJob: {
    spec: record({ suspend: boolean, jobTemplate: record({ spec: record({ template: podTemplate }) }) }),
  },
} as const;
