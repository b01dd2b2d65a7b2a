import { bytesOf } from '../../kube/quantity.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix } from '../../facts/evidence.ts';
import { closestVolumeRule, patchVolume, remakeClaim, requestField } from './closest-volume.ts';

/** component-helpers FindMatchingVolume compares exact quantities: 10G is less than 10Gi. */
export const pvCapacityTooSmall = closestVolumeRule('pv-capacity-too-small', 'capacity', {
  describe(c, volume) {
    const [capacity, request] = [capacityOf(volume), c.request ?? '0'];
    return `holds ${capacity}, and the claim asks for ${request}${unitHint(capacity, request)}`;
  },
  evidence: (c) => [requestField(c)],
  advise: adviseSize,
});

function capacityOf(volume: Volume): string {
  return volume.spec?.capacity?.['storage'] ?? '0';
}

/** A volume that misses by less than a tenth was most likely sized in the other unit. */
function unitHint(capacity: string, request: string): string {
  const [small, large] = [bytesOf(capacity), bytesOf(request)];
  return small > 0n && small * 11n >= large * 10n
    ? ' (a decimal unit such as 10G is less than a binary one such as 10Gi)'
    : '';
}

function adviseSize(c: PresentClaim, volume: Volume): Fix[] {
  const { name } = volume.metadata;
  const request = c.request ?? '0';
  return [
    fix(
      `look which volumes there are, and make one of at least ${request}: the claim then goes on by itself`,
      'kubectl get pv',
    ),
    remakeClaim(c, `or delete the claim and make it again with at most ${capacityOf(volume)}`),
    fix(
      `or, if the storage behind ${name} is that large, let the volume say so`,
      patchVolume(name, { spec: { capacity: { storage: request } } }),
    ),
  ];
}
