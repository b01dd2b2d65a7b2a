/**
 * Causes that no retry, restart or other component ends: an object contradicts itself or the cluster, and stays so
 * until it is edited. `wait` gives up on these at once. Every other cause gets time: what a controller, a kubelet or a
 * driver retries, what may be created a moment later (a secret, a source, a volume, a node), and what another object
 * may release (a slot, space, a volume in use).
 */
export const lastingCauses: ReadonlySet<string> = new Set([
  // The class of the claim, and whether the claim may be created at all.
  'sc-missing',
  'class-nil-no-default',
  'class-empty-string',
  'pvc-create-denied-quota',
  'pvc-create-denied-limitrange',
  'pvc-create-denied-validation',
  'pvc-create-denied-webhook',
  'ephemeral-pvc-conflict',
  // A volume that the claim names, or has lost.
  'pvc-volumename-mismatch',
  'pvc-lost-misbound',
  'pvc-lost-pv-deleted',
  'pvc-lost-volumename-cleared',
  'pod-bound-pv-missing',
  // A request that the provisioner cannot fulfil.
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
  // A pod whose spec rules out the nodes or the use of its volumes.
  'wffc-nodename-bypass',
  'mount-inline-unsupported',
  'mount-node-affinity',
  'mount-options-unsupported',
  'mount-volumemode-usage',
  'gitrepo-disabled',
  'intree-removed-volume',
  // An expansion that the driver has finally refused.
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
  // A volume that no controller will ever delete.
  'pv-failed-csi-not-retried',
  'pv-failed-no-deleter',
  'pv-unknown-reclaim-policy',
]);

/** A new node would end it, and an autoscaler may add one: `wait` waits until its timeout. */
export const waitsForRoom: ReadonlySet<string> = new Set(['wffc-pod-unschedulable-other', 'sched-max-volume-count']);

/** By design nothing happens until a user acts: creates a pod, removes a gate, deletes what is retained. */
export const waitsForSomeone: ReadonlySet<string> = new Set([
  'wffc-no-consumer',
  'wffc-pod-gated',
  'resize-fs-pending-no-pod',
  'resize-offline-only',
  'pv-released-retain',
  'snap-content-retained',
]);

/** Whether the cause keeps an object from being created: its creator is refused, or its kind is not served. */
export function barsAppearance(cause: string): boolean {
  return /^pvc-create-denied-|^ephemeral-pvc-(?:create-failed|conflict)$|^snap-crds-missing$/.test(cause);
}
