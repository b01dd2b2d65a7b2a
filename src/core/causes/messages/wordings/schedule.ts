import { only, shared, symptom } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** What the scheduler says about volumes, old and new versions. */
export const scheduleWordings: readonly Wording[] = [
  ...only('sched-max-volume-count', /node\(s\) exceed max volume count/),
  ...only(
    'sched-rwop-conflict',
    /ReadWriteOncePod access mode already in-use by another pod|node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode/,
  ),
  ...only('sched-disk-conflict', /node\(s\) had no available disk/),
  ...only('sched-driver-not-installed', /\S+ CSI driver is not installed on the node/),
  ...only('sched-volume-zone', /node\(s\) had no available volume zone/),
  shared(/incompatible with nodepool [^]*incompatible requirements, key topology\.\S+\/zone\b/, {
    'sched-volume-node-affinity': 'the volume is in the zone that no node pool offers',
    'wffc-pod-unschedulable-other': 'the pod itself asks for the zone',
  }),
  shared(/didn't match PersistentVolume's node affinity|had volume node affinity conflict/, {
    'sched-volume-node-affinity':
      'a node that the volume allows exists but does not take the pod, or its labels differ',
    'local-pv-node-gone': 'the volume is local, and its node was deleted',
    'wffc-pod-unschedulable-other': 'the nodes that the volume allows are refused for CPU, memory or taints',
    'sched-pv-affinity-key-absent': 'no node has the label that the volume asks for',
    'sched-pvcs-disjoint-topology': 'the pod has several volumes, and no node reaches all of them',
    'csinode-topology-label-missing': 'the node lacks a label that its driver uses to place volumes',
    'local-pv-immediate-class': 'the class of local volumes binds before the pod has a node',
  }),
  shared(/didn't find available persistent volumes to bind/, {
    'wffc-no-provisioner-no-pv': 'the class has the provisioner kubernetes.io/no-provisioner',
    'wffc-allowed-topologies': 'the class has allowedTopologies that no node matches',
    'wffc-selected-node-stale':
      'the claim has the annotation volume.kubernetes.io/selected-node for a node that is gone or refused',
    'pv-released-stale-claimref': 'a volume that fits is Released: it still belongs to a deleted claim',
    'wffc-selected-node-split': 'two claims of the pod were assigned to different nodes',
  }),
  shared(/node\(s\) did not have enough free storage/, {
    'wffc-capacity-insufficient': 'every CSIStorageCapacity object of the class is smaller than the claim',
    'wffc-capacity-objects-missing': 'the class has no CSIStorageCapacity object',
    'wffc-capacity-topology-mismatch': 'the CSIStorageCapacity objects are for nodes that do not exist',
  }),
  ...only('wffc-provision-rescheduled', /provisioning failed for PVC|selectedNode annotation reset for PVC/),
  ...only('wffc-provisioned-wrong-topology', /pv "[^"]+" node affinity doesn't match node "[^"]+"/),
  ...only('wffc-pv-unbound-during-bind', /ClaimRef got reset for pv "[^"]+"/),
  shared(/\bbinding volumes: (?:context deadline exceeded|timed out waiting for the condition)/, {
    'wffc-bind-timeout': 'the volume was not bound within 10 minutes: the events of the claim have the cause',
    'provisioner-not-running': 'the claim only reports that it waits for its provisioner',
  }),
  shared(/waiting for first consumer to be created before binding/, {
    'wffc-no-consumer': 'no pod uses the claim (expected)',
    'wffc-nodename-bypass': 'a pod that uses it sets spec.nodeName, which bypasses the scheduler',
  }),
  shared(/waiting for pods? .+ to be scheduled/, {
    'wffc-pod-unschedulable-other': 'the pod cannot be scheduled for reasons other than storage',
    'wffc-scheduler-missing': 'the pod names a scheduler that does not run',
    'wffc-pod-gated': 'the pod has schedulingGates (expected)',
    'wffc-capacity-insufficient': 'the pod reports "node(s) did not have enough free storage"',
    'sc-missing': 'the StorageClass of the claim was deleted',
  }),
  symptom(
    /(?:FailedScheduling|nodes? (?:are|is) available|trigger scale-up)[^]*(?:\bInsufficient \S|anti-affinity|topology spread|free ports)|\bInsufficient (?:cpu|memory|ephemeral-storage|hugepages\S*|pods)\b|untolerated taint|didn't match Pod's node affinity\/selector|didn't match node selector|anti-affinity rules|topology spread constraints|free ports for the requested pod ports/,
    {
      'wffc-pod-unschedulable-other':
        'the pod cannot be scheduled for reasons other than storage, and its claim waits for it',
    },
  ),
  shared(/(?:predicate|candidate|filter)\w*\b[^]*\bnot enough capacity/i, {
    'wffc-capacity-insufficient': 'a scheduler of the storage vendor finds no node with enough free storage',
    'provision-resource-exhausted': 'a provisioner says it, and not a scheduler',
  }),
  symptom(/no enough nodes/, {
    'wffc-capacity-insufficient':
      'the storage of the nodes is too small for the claim; a scheduler of the storage vendor words it like this',
  }),
];
