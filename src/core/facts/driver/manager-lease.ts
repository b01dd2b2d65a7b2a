import type { Lease } from '../../kube/kinds.ts';
import { parseTime, secondsBetween } from '../../kube/time.ts';
import type { Inquiry } from '../../graph/inquiry.ts';

/**
 * The lease of the kube-controller-manager, if it is no longer renewed. Managed clusters hide it, so a missing lease
 * proves nothing.
 */
export function staleManagerLease(ask: Inquiry): Lease | undefined {
  const lease = ask.get('Lease', 'kube-system', 'kube-controller-manager', 'whether the kube-controller-manager runs');
  if (lease.state !== 'found') return undefined;
  const renewed = parseTime(lease.object.spec?.renewTime);
  const limit = Math.max(30, 2 * (lease.object.spec?.leaseDurationSeconds ?? 15));
  return renewed !== undefined && secondsBetween(renewed, ask.now) > limit ? lease.object : undefined;
}
