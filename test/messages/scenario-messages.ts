import { loadScenarios } from '../kit/scenario.ts';
import type { Case } from './score.ts';
import { wordingOf } from './score.ts';

/** Events of a volume that is well, or of progress: no error is in them. */
const progress =
  /^(?:Scheduled|SuccessfulAttachVolume|Pulled|Started|Created|Provisioning|ProvisioningSucceeded|VolumeConditionNormal|VolumeResizeSuccessful|TriggeredScaleUp)$/;

/**
 * Events that a scenario holds to lead the diagnosis astray, or that report an earlier, another fault. The words are right for the
 * cause on the right, and the scenario proves that objects decide.
 */
export const ofAnotherFault: readonly (readonly [scenario: string, words: RegExp, means: string, why: string])[] = [
  [
    'attach-not-required-but-needed',
    /mount error\(13\)/,
    'mount-stage-rpc',
    'the driver names no attach; its CSIDriver decides',
  ],
  ['mount-not-storage', /desc = mount failed/, 'mount-stage-rpc', 'an earlier failure that has passed'],
  ['mount-rpc-pending', /mkfs\.ext4 was killed/, 'mount-stage-rpc', 'the first error, before the pending call'],
  ['mount-va-not-ready', /code = Internal desc = no answer/, 'attach-rpc-error', 'the attach error before the mount'],
  ['populator-failed', /pool is full/, 'provision-resource-exhausted', 'the event of the helper claim'],
  ['provision-infeasible', /code = Aborted/, 'provision-in-background', 'a later answer; the first said infeasible'],
  ['provisioner-crashloop', /EOF/, 'provision-in-background', 'the restarts of the container decide'],
  ['provisioner-not-running', /backend said no/, 'provision-internal', 'an answer from before the provisioner stopped'],
  ['resize-controller-error', /NodeExpandVolume/, 'resize-node-error', 'the event of the kubelet'],
  ['restore-size-too-small', /copy failed/, 'provision-internal', 'an answer to an earlier request'],
  ['restore-snapshot-deleting', /checksum mismatch/, 'provision-internal', 'an answer to an earlier request'],
  ['wffc-bind-timeout', /code = PermissionDenied/, 'provision-credentials', 'the fault behind the timeout'],
  ['wffc-provision-rescheduled', /code = ResourceExhausted/, 'provision-resource-exhausted', 'the annotation decides'],
  ['detach-node-not-ready', /already used by pod/, 'attach-rwo-held-by-running-pod', 'the state of the node decides'],
  [
    'driver-daemonset-pod-unhealthy',
    /hostPath type check/,
    'hostpath-type-check',
    'the pod of the driver lacks a path, and other pods wait for the driver',
  ],
  ['pod-pvc-missing', /is being deleted/, 'pod-pvc-terminating', 'an earlier event: the claim is gone now'],
  ['provision-internal', /code = AlreadyExists/, 'provision-already-exists', 'the echo of an earlier request'],
  [
    'provision-topology-label-missing',
    /code = ResourceExhausted/,
    'provision-resource-exhausted',
    'the driver has answered, so no label was missing',
  ],
  ['sc-missing', /waiting for pod/, 'wffc-pod-unschedulable-other', 'the class was deleted after the event'],
  [
    'wffc-pod-unschedulable-other',
    /trigger scale-up/,
    'sched-volume-node-affinity',
    'the autoscaler counts both reasons',
  ],
];

/**
 * Every event of every scenario, as `kubectl describe` prints it: the reason and the message. The cause of a message is that of its
 * scenario. The same words, names apart, in several scenarios are one message, and each of their causes is right.
 */
export function scenarioMessages(): Case[] {
  const byWording = new Map<string, { from: string; message: string; causes: Set<string> }>();
  for (const { id, cause, file } of loadScenarios()) {
    for (const event of (file.objects ?? []).filter(({ kind }) => kind === 'Event')) {
      const reason = String(event['reason']);
      if (progress.test(reason)) continue;
      const message = `${reason} ${String(event['message'] ?? event['note'] ?? '')}`;
      const other = ofAnotherFault.find(([scenario, words]) => scenario === cause && words.test(message))?.[2];
      const known = byWording.get(wordingOf(message)) ?? { from: id, message, causes: new Set<string>() };
      known.causes.add(other ?? cause);
      byWording.set(wordingOf(message), known);
    }
  }
  return [...byWording.values()].map(({ causes, ...rest }) => ({ ...rest, causes: [...causes] }));
}
