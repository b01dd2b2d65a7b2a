import { volumeMissingText } from '../../lib/driver-error/senses/kubernetes.ts';
import { only, shared, symptom } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** A claim that was refused, or that has no usable class. */
export const claimWordings: readonly Wording[] = [
  ...only(
    'resize-denied-quota',
    /persistentvolumeclaims? "[^"]+" (?:could not be patched|was not valid)[^]*exceeded quota/,
  ),
  ...only('pvc-create-denied-quota', /\b(?:create|Create) (?:Claim|PVC) [^]*exceeded quota/),
  shared(
    /exceeded quota: [^,]+, requested: (?:[^ ]*,)?(?:requests\.storage|\S*persistentvolumeclaims|\S*storageclass\S*)=/i,
    {
      'pvc-create-denied-quota': 'the claim does not exist yet',
      'resize-denied-quota': 'the claim exists, and its size was raised',
    },
  ),
  ...only('pvc-create-denied-limitrange', /(?:minimum|maximum) storage usage per PersistentVolumeClaim is \S+/),
  ...only(
    'pvc-create-denied-validation',
    /PersistentVolumeClaim "[^"]+" is invalid: (?:spec\.)?(?!(?:spec\.)?resources\.requests\.storage: Forbidden)[\w.[\]]+: (?!Forbidden: (?:field can not|spec is immutable|update to))/,
  ),
  ...only('pvc-create-denied-validation', /may not use ReadWriteOncePod with other access modes/),
  ...only('class-default-multiple', /\d+ default StorageClasses were found/),
  ...only(
    'pvc-create-denied-webhook',
    /(?:persistentvolumeclaims?\b|\bcreate (?:PVC|Claim)\b)[^]*(?:admission webhook "[^"]+" denied the request|failed calling webhook "[^"]+"|(?:Validating|Mutating)AdmissionPolicy '[^']+' .*denied)/i,
  ),
  ...only('ephemeral-pvc-conflict', /was not created for pod \S+ \(pod is not owner\)/),
  ...only('ephemeral-pvc-pending', /waiting for ephemeral volume controller to create the persistentvolumeclaim/),
  ...only(
    'ephemeral-pvc-create-failed',
    /ephemeral volume \S+: create PVC \S+:(?!.*(?:exceeded quota|storage usage per|admission webhook|failed calling webhook|AdmissionPolicy))/,
  ),
  shared(/no storage class is set/, {
    'class-nil-no-default': 'the claim names no StorageClass (storageClassName is absent), and none is the default',
    'class-empty-string': 'the claim has storageClassName: "", so it only takes volumes without a class',
    'pv-class-mismatch': 'a volume that is meant for the claim has another class, or the claim does',
    'pv-capacity-too-small': 'a volume without a class exists but is too small',
    'pv-released-stale-claimref': 'a volume that fits is Released: it still belongs to a deleted claim',
    'retroactive-default-blocked': 'a default StorageClass exists, and the cluster runs Kubernetes 1.26 or later',
    'retroactive-default-unsupported': 'a default StorageClass was added later, on Kubernetes before 1.26',
    'class-default-annotation-malformed':
      'a StorageClass was meant to be the default, and its annotation is not exactly "true"',
    'pv-prebound-unmatched': 'a volume names the claim in its claimRef but does not fit it',
  }),
  shared(/storageclass(?:es)?(?:\.storage\.k8s\.io)? "[^"]+" not found/, {
    'sc-missing': 'no StorageClass of that name exists',
    'pv-capacity-too-small':
      'the name only pairs the claim with a volume created by hand, and that volume is too small',
  }),
  shared(/bound to non-existent (?:pv|persistentvolume)/i, {
    'pod-bound-pv-missing': 'the claim still shows Bound',
    'pvc-lost-pv-deleted': 'the claim shows Lost',
  }),
  ...only('pod-pvc-terminating', /persistentvolumeclaim "[^"]+" is being deleted/),
  ...only(
    'datasource-crossns-disabled',
    /dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled/,
  ),
  symptom(/pod has unbound immediate PersistentVolumeClaims|PersistentVolumeClaim is not bound/, {
    'pod-pvc-unbound-immediate': 'a claim of the pod is not bound: the events of that claim have the cause',
    'sc-missing': 'the claim names a StorageClass that does not exist',
    'class-nil-no-default': 'the claim names no StorageClass, and none is the default',
    'provisioner-not-running': 'the claim waits for its provisioner',
  }),
];

/** After the other stages: these words are also part of longer messages. */
export const lateWordings: readonly Wording[] = [
  shared(/persistentvolumeclaims? \\?"[^"]+" not found/, {
    'pod-pvc-missing': 'nothing creates the claim, or it has another name or namespace',
    'pvc-create-denied-quota': 'a StatefulSet should create the claim, and a ResourceQuota refuses it',
  }),
  ...only('class-default-annotation-malformed', /is-default-class: (?!"?(?:true|false)\b)\S+/),
  ...only(
    'provisioner-rbac',
    /(?:failed to provision volume|error getting secret|ProvisioningFailed|leases?\b|endpoints\b|persistentvolumes?\b|storageclasses\b|csinodes\b|csistoragecapacities\b)[^]*is forbidden: User "?system:serviceaccount:[^"]+"? cannot \w+ (?:resource|endpoints|leases|configmaps|persistentvolumes|persistentvolumeclaims|storageclasses)\b/,
  ),
  // Without the name of the account, as reports shorten it; that of a part of Kubernetes itself is no provisioner's.
  ...only(
    'provisioner-rbac',
    /(?:retriev|creat|updat)ing (?:resource|lease|leader election) (?:lock|record)[^]*is forbidden: User (?!\\?"?system:)/i,
  ),
  ...only('provision-csinode-not-found', /provision[^]*nodes? "[^"]+" not found/i),
  ...only('va-pv-missing', new RegExp(volumeMissingText)),
  ...only('restore-content-invalid', /is bound to a different snapshot/),
  symptom(/\bnodes? "[^"]+" not found/, {
    'provision-csinode-not-found': 'a claim was to be provisioned for that node',
    'va-orphan-node-deleted': 'a volume is still attached to that node',
    'wffc-selected-node-stale': 'a Pending claim has the annotation selected-node for it',
  }),
  symptom(/(?:failed to renew lease|leaderelection lost|lost (?:the )?lease|leader election lost)/i, {
    'provisioner-leader-stale': 'the line is of a sidecar of a driver, and no replica holds its lease now',
    'provisioner-crashloop': 'the line is of a sidecar of a driver, which ends and starts again',
    'pv-controller-down': 'the line is of kube-controller-manager',
  }),
  symptom(
    /admission webhook "[^"]+" denied the request|failed calling webhook "[^"]+"|AdmissionPolicy '[^']+' .*denied/,
    {
      'pvc-create-denied-webhook': 'the object that was refused is a claim',
      'provision-pv-save-failed': 'the object that was refused is a PersistentVolume',
    },
  ),
  symptom(/pods "[^"]+" is forbidden: exceeded quota/, {
    'wffc-no-consumer': 'a claim waits for the pod that the ResourceQuota refuses',
  }),
];
