/** Scenarios whose trouble preflight cannot know before anything is applied, with the reason. */
export const unforeseen: Readonly<Record<string, string>> = {
  'policy-denial': 'what a policy refuses shows when it is asked',
  'lost-claim': 'the volume is deleted later',
  'volume-controller-down': 'its lease is fresh for a while after it has died',
  'provisioner-down': 'its lease is fresh for a while after it has died',
  'provisioner-image-missing': 'its lease is fresh for a while after it has died',
  'provisioner-scaled-down': 'its lease is fresh for a while after it has died',
  'attacher-misnamed': 'whom an attacher serves is not looked for before a pod waits for it',
  'lease-stolen': 'a lease that is renewed looks alive, whoever renews it',
  'lease-in-the-future': 'a lease that was renewed in the future tells nothing',
  'driver-hung': 'a driver that hangs shows when it is asked',
  'provisioner-forbidden': 'what the provisioner may not do shows when it tries',
  'rpc-invalid-argument': 'an error of the driver',
  'rpc-resource-exhausted': 'an error of the driver',
  'rpc-out-of-range': 'an error of the driver',
  'rpc-already-exists': 'an error of the driver',
  'rpc-permission-denied': 'an error of the driver',
  'rpc-unauthenticated': 'an error of the driver',
  'rpc-unimplemented': 'an error of the driver',
  'rpc-internal': 'an error of the driver',
  'rpc-unavailable': 'an error of the driver',
  'too-large': 'only the driver knows its largest volume',
  'wffc-driver-not-on-node': 'which node the scheduler prefers shows when it is asked',
  'wffc-unknown-scheduler': "whether a scheduler of one's own runs shows when it is asked",
  'snapshot-refused': 'an error of the driver',
  'snapshotter-scaled-down': 'its lease is fresh for a while after it has died',
  'snapshotter-down': 'a sidecar may run where nobody can look, so that none is to be seen is a warning only',
};

/** What stands in the way first when nothing has been tried yet, where it is not what stays in the end. */
export const toldOtherwise: Readonly<Record<string, readonly string[]>> = {
  'attributes-class-missing': ['provision-vac-invalid'],
  // There is no grant either.
  'other-namespace-off': ['datasource-crossns-no-grant'],
  // Of the claim that is to be cloned: its class is missing, or it waits for its first pod.
  'clone-source-not-bound': ['sc-missing'],
  'clone-source-waits': ['wffc-no-consumer'],
  // The pod of the plugin is not looked for before a pod needs it.
  'plugin-image-missing': ['mount-driver-not-registered'],
  'plugin-other-node-id': ['mount-driver-not-registered'],
  'registration-path-wrong': ['mount-driver-not-registered'],
  // Of the snapshot itself.
  'snapshot-not-ready': ['snap-source-pvc-missing'],
};
