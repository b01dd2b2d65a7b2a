/** A machine check that some fixes fail on purpose. */
interface FixException {
  /** Matches `SCENARIO (CAUSE) fix N [RULE] DETAIL`. */
  readonly pattern: RegExp;
  readonly reason: string;
}

export const fixExceptions: readonly FixException[] = [
  {
    pattern: /^provisioner-not-running--selector .*\[first\] leaves provisioner-not-running/,
    reason: 'the rehearsal does not replace the pods of a Deployment whose template was changed',
  },
  {
    pattern: /^provisioner-not-running--pod-on-dead-node .*\[first\] leaves provisioner-not-running/,
    reason: 'the rehearsal does not let a StatefulSet create the pod anew',
  },
  {
    pattern: /^provisioner-not-running--pod-does-not-end .*\[first\] only looks: kubectl -n \S+ describe pod/,
    reason: 'the node works and the pod does not end: only its events say why',
  },
  {
    pattern: /^pv-terminating-attached .*\[first\] leaves pv-terminating-attached: kubectl patch pv \S+ .*Retain/,
    reason: 'the storage has to be repaired, which no command does; the line keeps the data',
  },
  {
    pattern: /^sched-volume-node-affinity--\S+ .*\[first\] only looks: kubectl get nodes -l \S+ -o custom-columns=/,
    reason: 'the nodes could not be read: whether the one that holds the data exists decides, and the text says how',
  },
  {
    pattern: /^pvc-create-denied-webhook--out-of-reach .*(?:names nothing: kubectl get --raw|\[first\] leaves )/,
    reason: 'the proxy of the API server shows whether it reaches the webhook; no object shows a closed network',
  },
  {
    pattern: /^provision-no-topology--plugin-selects-no-node .*\[first\] leaves provision-no-topology/,
    reason: 'the DaemonSet does not name its driver, so the rehearsal cannot know what its pods would register',
  },
  {
    pattern: /\[first\] only looks: kubectl -n \S+ logs \S+ -c \S+ (?:--previous )?--tail=\d+$/,
    reason:
      'a container crashes or fails without a word in the API: only its log names the reason, and the text says so',
  },
  {
    pattern:
      /\[first\] only looks: (?:kubectl -n \S+ get volumesnapshots ; )?kubectl csi why(?:-pending)? (?:-n \S+ )?(?:pvc|vs|pod|bucketaccess)\//,
    reason: 'the fault is that of another object, whose own answer has the fix',
  },
  {
    pattern:
      /\[first\] only looks: kubectl (?:-n \S+ )?(?:(?:logs|get pods -A -o wide) .*auth can-i (?:create|patch) persistentvolume|describe pvc)/,
    reason:
      'the provisioner or the resizer is alive and silent: only its log, or the events that could not be read, hold the reason',
  },
  {
    pattern: /\[first\] only looks: kubectl -n kube-system get pods -l component=kube-controller-manager/,
    reason: 'whether the kube-controller-manager runs at all decides between starting it and reading its log',
  },
  {
    pattern:
      /\[first\] only looks: kubectl debug node\/\S+ .*(?:lsblk|dmesg|mount -t nfs|ps -C kubelet|findmnt -T|cryptsetup --version|nc -zv -w 5 \S+ \d+ ;|drbdadm status)/,
    reason: 'only the node tells which of the named reasons holds, and the text says what follows from each',
  },
  {
    pattern: /\[first\] only looks: kubectl -n \S+ describe daemonset/,
    reason: 'the DaemonSet has no pod on the node, and its events say why',
  },
  {
    pattern:
      /^(?:pv-selector-mismatch--velero|provision-selector-unsupported--restore) .*only looks: kubectl get datadownloads/,
    reason: 'a restore by Velero continues automatically: its own objects show how far it is',
  },
  {
    pattern:
      /^(?:attach-rwo-held-by-running-pod--rollout|clone-source-not-bound|datasource-crossns-disabled|driver-not-on-node--\S+|local-static-released--\S+|modify-error--while-attached|pod-pvc-missing--set-with-its-pod|pvc-terminating-\S+|restore-snapshot-unbound|sched-max-volume-count--set-exceeds-the-limit|sched-rwop-conflict--replicas|va-pv-missing--\S+) .*\[first\] leaves /,
    reason:
      'the rehearsal does not play rollouts, operators, node plugins, cleaners, clones, snapshots or changes of a detached volume to their end',
  },
  {
    pattern:
      /^(?:mount-pvc-deleting|pv-terminating-provisioner-finalizer--never-released|snap-delete-restoring) .*\[first\] leaves /,
    reason: 'the first step keeps the data; what is being deleted stays so, and the text says what comes next',
  },
  {
    pattern: /\[first\] only looks: kubectl csi probe \S+ --deep$/,
    reason:
      'only the driver itself says whether it can change volumes, and the text says what follows from each answer',
  },
  {
    pattern: /^namespace-terminating-storage--operator .*\[first\] only looks: .* -o yaml > /,
    reason: 'what describes the storage is saved first: whether its data is needed, only a person can decide',
  },
  {
    pattern: /\[first\] only looks: kubectl get engines\.longhorn\.io /,
    reason: 'the driver passes on less than its storage records, and the text says what follows from each answer',
  },
  {
    pattern: /^pv-terminating-provisioner-finalizer--rights .*\[first\] leaves /,
    reason: 'the rehearsal does not play rights',
  },
  {
    pattern: /--owned-claim .*\[repeated\] Recreate /,
    reason: 'the owner of the claim is edited by hand between the commands: what is to be changed differs',
  },
  {
    pattern: /^volume-(?:inodes-)?full\S* .*\[first\] leaves volume-(?:inodes-)?full: /,
    reason:
      'the measurement and the last words of the container stay as they are until the volume has grown and the container has run again',
  },
];
