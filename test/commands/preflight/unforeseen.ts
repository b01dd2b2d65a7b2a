/** Scenarios whose cause cannot be told before anything is applied, with the reason, beside those that only an event tells. */
export const unforeseen: Readonly<Record<string, string>> = {
  'datasource-populator-missing--nodes-without-labels': 'as datasource-populator-missing',
  'pod-pvc-missing--set-with-its-pod':
    'the set recreates its claim together with a new pod: applied again, nothing is wrong',
  'provision-topology-key-missing--selects-no-node':
    'the driver publishes no capacity either, which comes first for a new pod',
  'provisioner-not-running--of-another-driver': 'only a claim that keeps waiting shows that no pod acts for it',
  'provisioner-not-running--untied': 'only a claim that keeps waiting shows that no pod acts for it',
  'wffc-scheduler-missing--scaled-to-nought': 'only a pod that keeps waiting shows that its scheduler is silent',
  'wffc-scheduler-missing--silent': 'only a pod that keeps waiting shows that its scheduler is silent',
  'provisioner-not-running--lease-in-the-future':
    'a lease renewed in the future proves nothing about life; only a claim that keeps waiting shows that the provisioner is not there',
  'bind-incomplete':
    'the binding was interrupted after the claim was made; a new claim meets a volume that belongs to its namesake',
  'bind-incomplete--former-claim': 'the volume was made for a claim that a new one is not',
  'bind-incomplete--just-now': 'as bind-incomplete',
  'bind-incomplete--provisioned': 'the volume was made for a claim that a new one is not',
  'bucket-driver-not-running--pod':
    'the pod has its node and mounts a Secret alone: nothing that is applied asks for storage, and the bucket was claimed before',
  'class-nil-no-default--fitting-volume':
    'a volume fits: nothing is wrong, and before the fact there is nothing to wait for',
  'datasource-populator-missing': 'that no populator comes shows only when none has come',
  'ephemeral-pvc-conflict--former-pod':
    'the claim of the former pod is there; that it is being collected shows only in time',
  'ephemeral-pvc-conflict--own-claim': 'the claim is made by the very pod',
  'ephemeral-pvc-conflict--of-a-set': 'the pod belongs to a set, and a pod that has an owner is not applied by hand',
  'ephemeral-pvc-pending': 'the claim is being made: nothing is wrong',
  'ephemeral-pvc-pending--controller-down':
    'the dead controller manager is named by the claim that it would bind, as pv-controller-down',
  'pod-pvc-missing--of-a-set': 'the pod belongs to a set, and a pod that has an owner is not applied by hand',
  'populator-failed': 'the populator fails when it runs',
  'populator-failed--own-claim-stuck': 'the populator fails when it runs',
  'populator-running': 'the populator starts when the claim is there',
  'provision-csinode-not-found': 'the scheduler chose a node that a new pod need not get; told as a warning',
  'provision-pv-name-taken': 'the name of the volume comes from the uid that the claim will get',
  'provision-topology-key-missing': 'the scheduler chose a node that a new pod need not get; told as a warning',
  'provision-topology-key-missing--plugin-crashes':
    'the scheduler chose a node that a new pod need not get; told as a warning',
  'provision-topology-not-allowed': 'the scheduler chose a node that a new pod would not get',
  'provisioner-annotation-mismatch': 'a leftover of a class that was made again',
  'provisioner-not-running--no-lease':
    'nothing of the provisioner is to be seen, but it may run where nobody can look; told as a warning',
  'provisioner-not-running--renamed':
    'nothing of the provisioner is to be seen under this name, but it may run where nobody can look; told as a warning',
  'provisioner-silent': 'silence shows only in time',
  'provisioner-silent--namespace-misspelt': 'silence shows only in time',
  'provisioner-silent--namespace-of-storage': 'silence shows only in time',
  'provisioner-silent--not-csi': 'silence shows only in time',
  'provisioner-silent--own-lock': 'silence shows only in time',
  'provisioner-silent--retired-image': 'silence shows only in time',
  'provisioning-disabled--hidden-flags': 'where the flags of the controller manager are hidden only its silence tells',
  'pv-controller-down--half-bound': 'a new claim meets a volume that belongs to its namesake',
  'pv-controller-down--new-volume': 'the volume has yet to be seen by the controller',
  'pv-no-capacity--both-named': 'a new claim meets a volume that belongs to its namesake',
  'pv-prebound-unmatched--populated':
    'the volume is reserved after the claim; beforehand its modes are what does not fit',
  'pv-vac-mismatch--made-for-it': 'the volume is made after the claim; its class is refused before that',
  'pv-volumemode-mismatch--made-for-it': 'the volume is made after the claim',
  'pvc-create-denied-quota--not-counted': 'nothing stands against the claim: no quota counts it',
  'pvc-create-denied-quota--not-due': 'beforehand all claims of a set are judged, whether due or not',
  'pvc-create-denied-webhook--suspected': 'a webhook answers when it is asked',
  'pvc-datasource-dropped--other-namespace':
    'whether the server knows sources of other namespaces shows when it drops one',
  'pvc-lost-misbound': 'a new claim was never bound; it meets a volume that is taken',
  'pvc-lost-misbound--namesake': 'a new claim was never bound; it meets a volume that belongs to its namesake',
  'pvc-lost-misbound--no-uid': 'a new claim was never bound, and gets the volume that is reserved for it',
  'pvc-lost-pv-deleted': 'a new claim was never bound; the volume that it names does not exist',
  'pvc-lost-volumename-cleared': 'a new claim was never bound',
  'retroactive-default-blocked': 'a new claim gets the default class at once, and the quota refuses it',
  'retroactive-default-blocked--just-now': 'a new claim gets the default class at once',
  'retroactive-default-blocked--webhook': 'a new claim gets the default class at once',
  'retroactive-default-unsupported': 'a new claim gets the default class at once',
  'retroactive-default-unsupported--older-class':
    'a new claim gets the default class at once, unless the admission plugin is off, which no object tells',
  'sched-disk-conflict': 'disks of a pod are compared only where the scheduler speaks of them',
  'sched-rwop-conflict--both-wait': "that the CPU is taken shows in the scheduler's words only",
  'sched-volume-node-affinity--anti-affinity': 'affinity between pods is not judged',
  'sched-volume-node-affinity--old-words-and-cpu': "that the CPU is taken shows in the scheduler's words only",
  'wffc-bind-timeout': 'the time runs out only when it runs',
  'wffc-bind-timeout--volume-being-cleaned':
    'the time runs out only when it runs; beforehand the only volume is Released, and that is what the claim lacks',
  'wffc-capacity-insufficient--storage-scheduler': 'the words of a scheduler that comes with the storage',
  'wffc-no-consumer--pod-not-made': 'that the pod is not made shows only in time',
  'wffc-no-consumer--pod-refused': 'that the pod is refused shows when it is made',
  'wffc-no-consumer--scaled-to-nought': 'a set that is scaled to 0 makes no claim',
  'wffc-pod-unschedulable-other--fargate':
    'a profile outside the cluster decides when the pod is made whether it is for Fargate',
  'wffc-pod-unschedulable-other--foreign-words': "the words of a scheduler of one's own",
  'wffc-pod-unschedulable-other--gang': 'that a gang is not complete shows when its scheduler tries it',
  'wffc-pod-unschedulable-other--words-of-its-own': "the words of a scheduler of one's own",
  'wffc-provision-rescheduled': 'the provisioner gives a node up when it has tried it',
  'wffc-provisioned-wrong-topology--first-words': 'the pod goes where its volume is when the scheduler tries again',
  'wffc-pv-unbound-during-bind': 'somebody changes the volume meanwhile',
  'wffc-scheduler-missing': "whether a scheduler of one's own runs shows when it is asked",
  'wffc-scheduler-missing--too-early': 'nothing is wrong yet',
  'wffc-selected-node-split': "the scheduler's earlier choices",
  'wffc-selected-node-stale': "the scheduler's earlier choice",
  'wffc-selected-node-stale--cordoned': "the scheduler's earlier choice",
  'wffc-selected-node-stale--no-pod-left': "the scheduler's earlier choice",
};

const silentProvisioner =
  'only the event shows that the provisioner runs: its Deployment and its Lease are not among the objects';

/** Of the scenarios that only somebody's word tells, those whose objects show something else that is wrong, with the reason. */
export const alsoWrong: Readonly<Record<string, { readonly cause: string; readonly reason: string }>> = {
  'provision-credentials--aws-action': { cause: 'provisioner-unknown', reason: silentProvisioner },
  'provision-credentials--aws-role': { cause: 'provisioner-unknown', reason: silentProvisioner },
  'provision-credentials--azure-policy-group': { cause: 'provisioner-unknown', reason: silentProvisioner },
  'provision-credentials--google-role': { cause: 'provisioner-unknown', reason: silentProvisioner },
  'provision-internal--echo': { cause: 'provisioner-unknown', reason: silentProvisioner },
  'provision-internal--zone-filter': { cause: 'provisioner-unknown', reason: silentProvisioner },
  'provision-invalid-argument--source-state': { cause: 'provisioner-unknown', reason: silentProvisioner },
  'provision-resource-exhausted--openstack-count': { cause: 'provisioner-unknown', reason: silentProvisioner },
  'pvc-lost-pv-deleted--restored-claim': {
    cause: 'pvc-volumename-not-found',
    reason: 'the claim names the volume that is gone, so it would be lost again',
  },
  'provision-in-background--source-not-in-dump': {
    cause: 'clone-source-missing',
    reason:
      'that the dump lacks the source is what the scenario is about; without the word of the driver it is missing',
  },
  'provision-internal--class-waits-for-no-pod': {
    cause: 'provisioner-unknown',
    reason: silentProvisioner,
  },
  'provision-internal--no-path-for-node': {
    cause: 'provisioner-unknown',
    reason: silentProvisioner,
  },
  'provision-topology-key-missing--registered-nowhere': {
    cause: 'driver-not-on-node',
    reason: 'no CSINode lists the driver, which the objects show before its provisioner says so',
  },
  'pvc-create-denied-webhook--classes': {
    cause: 'sc-missing',
    reason: 'the webhook refuses the class by its name, and the class is not among the objects',
  },
};
