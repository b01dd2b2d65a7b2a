/**
 * Causes that no retry, no restart and no other component brings to an end: what somebody wrote down contradicts itself
 * or what is there, and stays so until somebody writes something else. Not here, and so given time: whatever a
 * controller, a kubelet or a driver does again by itself; what is missing and may be made a moment later (a secret, a
 * source, a volume, a node); and what somebody else may let go of (a slot, space, a volume in use).
 */
export const lastingCauses: ReadonlySet<string> = new Set([
  // The class of the claim, and whether the claim may be made at all.
  'sc-missing',
  'class-nil-no-default',
  'class-empty-string',
  'pvc-create-denied-quota',
  'pvc-create-denied-limitrange',
  'pvc-create-denied-validation',
  'pvc-create-denied-webhook',
  'ephemeral-pvc-conflict',
  // A volume that was named, or was lost.
  'pvc-volumename-mismatch',
  'pvc-lost-misbound',
  'pvc-lost-pv-deleted',
  'pvc-lost-volumename-cleared',
  'pod-bound-pv-missing',
  // What the provisioner is asked for, against what can be.
  'clone-class-nil',
  'clone-size-too-small',
  'clone-source-invalid',
  'clone-volumemode-mismatch',
  'datasource-apigroup-wrong',
  'provision-accessmode-combination',
  'provision-fstype-duplicate',
  'provision-secret-params-incomplete',
  'provision-secret-template-invalid',
  'provision-selector-unsupported',
  'provision-unknown-csi-parameter',
  'provisioner-in-tree-removed',
  'provisioning-disabled',
  'restore-driver-mismatch',
  'restore-size-too-small',
  'restore-volumemode-denied',
  // A pod that was written for a place where its volumes cannot be, or in a way that they cannot be used.
  'wffc-nodename-bypass',
  'mount-inline-unsupported',
  'mount-node-affinity',
  'mount-options-unsupported',
  'mount-volumemode-usage',
  'gitrepo-disabled',
  'intree-removed-volume',
  // Growth that the driver has refused for good.
  'resize-binding-broken',
  'resize-controller-infeasible',
  'resize-node-infeasible',
  // Snapshots.
  'snap-class-driver-mismatch',
  'snap-class-missing',
  'snap-content-misbound',
  'snap-content-mismatch',
  'snap-default-class-multiple',
  'snap-default-class-none',
  'snap-source-not-csi',
  'snap-validation',
  // A volume that nobody will ever delete.
  'pv-failed-csi-not-retried',
  'pv-failed-no-deleter',
  'pv-unknown-reclaim-policy',
]);

/** A node would mend it, and nodes come by themselves where something scales them: borne until the time is over. */
export const waitsForRoom: ReadonlySet<string> = new Set(['wffc-pod-unschedulable-other', 'sched-max-volume-count']);

/** By design nothing goes on before somebody acts: makes a pod, lifts a gate, deletes what is kept. */
export const waitsForSomeone: ReadonlySet<string> = new Set([
  'wffc-no-consumer',
  'wffc-pod-gated',
  'resize-fs-pending-no-pod',
  'resize-offline-only',
  'pv-released-retain',
  'snap-content-retained',
]);

/** Why something that is not there will not come: whoever should make it is refused, or nobody could keep it. */
export function barsAppearance(cause: string): boolean {
  return /^pvc-create-denied-|^ephemeral-pvc-(?:create-failed|conflict)$|^snap-crds-missing$/.test(cause);
}
