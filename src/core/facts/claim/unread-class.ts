import { newestMatch } from '../../graph/events.ts';
import { hasPassedVolumePreFilter } from '../pod/pod-state.ts';
import type { ClaimCase } from './claim-case.ts';

/**
 * Where classes cannot be read, what the volume controller and the scheduler do only for delayed claims still shows it.
 */
export function isSaidDelayed(c: ClaimCase): true | undefined {
  if (c.isBound || c.isLost || c.volumeName !== '') return undefined;
  if (c.selectedNode !== undefined || c.consumers.items.some(hasPassedVolumePreFilter)) return true;
  return (
    c.events.items.some((event) => event.reason === 'WaitForFirstConsumer' || event.reason === 'WaitForPodScheduled') ||
    undefined
  );
}

/** Where classes cannot be read, an event of the controller still shows that this one provisions nothing. */
export function isRefusedByNoProvisioner(c: ClaimCase): boolean {
  return (
    newestMatch(
      c.events.items,
      'ProvisioningFailed',
      /no volume plugin matched name: kubernetes\.io\/no-provisioner/,
    ) !== undefined
  );
}
