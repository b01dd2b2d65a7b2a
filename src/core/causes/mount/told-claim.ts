import type { MountFailure } from './mount-failure.ts';
import { namedClaimText } from '../lib/driver-error/sentences/kubelet.ts';

/** The name of the claim in the kubelet's message (desired_state_of_world_populator.go getPVCExtractPV). */
export function toldClaim(failure: MountFailure | undefined): string | undefined {
  return failure && namedClaimText.exec(failure.text)?.[1];
}
