import type { Rule } from '../lib/rule.ts';
import { schedDiskConflict } from './sched-disk-conflict.ts';
import { schedDriverNotInstalled } from './sched-driver-not-installed.ts';
import { schedMaxVolumeCount } from './sched-max-volume-count.ts';
import { schedPvMatchfields } from './sched-pv-matchfields.ts';
import { schedRwopConflict } from './sched-rwop-conflict.ts';
import { localPvNodeGone, schedPvAffinityKeyAbsent } from './sched-volume-lost.ts';
import { schedPvcsDisjointTopology, schedVolumeNodeAffinity, schedVolumeZone } from './sched-volume-place.ts';
import {
  wffcBindTimeout,
  wffcBindTimeoutOfProvision,
  wffcProvisionRescheduled,
  wffcProvisionRescheduledOfProvision,
  wffcPvUnboundDuringBind,
} from './wffc-bind-failed.ts';
import { wffcCapacityInsufficient, wffcCapacityObjectsMissing, wffcCapacityTopologyMismatch } from './wffc-capacity.ts';
import { wffcNoConsumer } from './wffc-no-consumer.ts';
import { wffcNodenameBypass } from './wffc-nodename-bypass.ts';
import { wffcAllowedTopologies, wffcNoProvisionerNoPv, wffcReleasedStaleClaimRef } from './wffc-nothing-to-bind.ts';
import { wffcPodGated } from './wffc-pod-gated.ts';
import { wffcPodUnschedulableOther } from './wffc-pod-unschedulable-other.ts';
import { wffcProvisionedWrongTopology } from './wffc-provisioned-wrong-topology.ts';
import { wffcSchedulerMissing } from './wffc-scheduler-missing.ts';
import { wffcSelectedNodeSplit, wffcSelectedNodeStale } from './wffc-selected-node.ts';

/** The pod finds a node where its volumes can be: in the order of judgement. */
export const scheduleStageRules: readonly Rule[] = [
  // Advice: it has to speak before anything proves the stage blocked.
  schedPvMatchfields,
  wffcNoConsumer,
  wffcPodGated,
  wffcSchedulerMissing,
  wffcNodenameBypass,
  wffcSelectedNodeSplit,
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
  // Behind all that provisioning itself has to say.
  wffcProvisionRescheduledOfProvision,
  wffcBindTimeoutOfProvision,
];
