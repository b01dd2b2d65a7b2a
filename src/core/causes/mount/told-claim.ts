import type { MountFailure } from './mount-failure.ts';

/** The name of the claim in the kubelet's message (desired_state_of_world_populator.go getPVCExtractPV). */
export function toldClaim(failure: MountFailure | undefined): string | undefined {
  return failure && /error processing PVC (?:\S+\/)?([^/\s:]+):/.exec(failure.text)?.[1];
}
