/** The node that the scheduler has chosen for the volume of a claim, by its present and its first name. */
export const selectedNodeAnnotations = [
  'volume.kubernetes.io/selected-node',
  'volume.alpha.kubernetes.io/selected-node',
];

/** The provisioner that the volume controller has asked. */
export const storageProvisionerAnnotations = [
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
];

/** On a claim: the volume controller has bound it once. */
export const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed';

/** On a volume: the provisioner that created it, and deletes it. */
export const provisionedByAnnotation = 'pv.kubernetes.io/provisioned-by';
