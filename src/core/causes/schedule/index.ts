import type { Rule } from '../lib/rule.ts';
import { provisionTopologyNotAllowedOfSchedule } from '../provision/provision-topology-not-allowed.ts';
import { localPvNodeGone } from './local-pv-node-gone.ts';
import { wffcReleasedStaleClaimRef } from './pv-released-stale-claimref.ts';
import { schedDiskConflict } from './sched-disk-conflict.ts';
import { schedDriverNotInstalled } from './sched-driver-not-installed.ts';
import { schedMaxVolumeCount } from './sched-max-volume-count.ts';
import { schedPvAffinityKeyAbsent } from './sched-pv-affinity-key-absent.ts';
import { schedPvMatchfields } from './sched-pv-matchfields.ts';
import { schedPvcsDisjointTopology } from './sched-pvcs-disjoint-topology.ts';
import { schedRwopConflict } from './sched-rwop-conflict.ts';
import { schedVolumeNodeAffinity } from './sched-volume-node-affinity.ts';
import { schedVolumeZone } from './sched-volume-zone.ts';
import { wffcAllowedTopologies } from './wffc-allowed-topologies.ts';
import { wffcBindTimeout, wffcBindTimeoutOfProvision } from './wffc-bind-timeout.ts';
import { wffcCapacityInsufficient } from './wffc-capacity-insufficient.ts';
import { wffcCapacityObjectsMissing } from './wffc-capacity-objects-missing.ts';
import { wffcCapacityTopologyMismatch } from './wffc-capacity-topology-mismatch.ts';
import { wffcNoConsumer } from './wffc-no-consumer.ts';
import { wffcNoProvisionerNoPv } from './wffc-no-provisioner-no-pv.ts';
import { wffcNodenameBypass } from './wffc-nodename-bypass.ts';
import { wffcPodGated } from './wffc-pod-gated.ts';
import { wffcPodUnschedulableOther } from './wffc-pod-unschedulable-other.ts';
import { wffcProvisionRescheduled, wffcProvisionRescheduledOfProvision } from './wffc-provision-rescheduled.ts';
import { wffcProvisionedWrongTopology } from './wffc-provisioned-wrong-topology.ts';
import { wffcPvUnboundDuringBind } from './wffc-pv-unbound-during-bind.ts';
import { wffcSchedulerMissing } from './wffc-scheduler-missing.ts';
import { wffcSelectedNodeSplit } from './wffc-selected-node-split.ts';
import { wffcSelectedNodeStale } from './wffc-selected-node-stale.ts';

/** The pod finds a node where its volumes can be used: in the order of judgement. */
export const scheduleStageRules: readonly Rule[] = [
  // Advice first: a proven cause ends the search through its stage.
  schedPvMatchfields,
  wffcNoConsumer,
  wffcPodGated,
  wffcSchedulerMissing,
  wffcNodenameBypass,
  wffcSelectedNodeSplit,
  provisionTopologyNotAllowedOfSchedule,
  wffcSelectedNodeStale,
  schedRwopConflict,
  schedDiskConflict,
  schedPvAffinityKeyAbsent,
  localPvNodeGone,
  wffcProvisionedWrongTopology,
  schedPvcsDisjointTopology,
  schedVolumeNodeAffinity,
  schedVolumeZone,
  schedDriverNotInstalled,
  schedMaxVolumeCount,
  wffcCapacityObjectsMissing,
  wffcCapacityTopologyMismatch,
  wffcCapacityInsufficient,
  wffcReleasedStaleClaimRef,
  wffcNoProvisionerNoPv,
  wffcAllowedTopologies,
  wffcPvUnboundDuringBind,
  wffcPodUnschedulableOther,
  wffcProvisionRescheduled,
  wffcBindTimeout,
  // After every rule of the provision stage.
  wffcProvisionRescheduledOfProvision,
  wffcBindTimeoutOfProvision,
];
