import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { zoneFilter } from '../lib/driver-error/storage-senses/settings.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { steps } from '../lib/steps.ts';
import { senseFix } from './driver-answer.ts';
import { giveBlamedValue } from './other-value.ts';
import type { ProvisionError } from './provision-error.ts';
import { provisionerOf } from './provisioner.ts';

/** The scheduler of Cinder or Manila found no backend: in the zone that was asked for, or with what the type demands. */
export function passFilter(c: PresentClaim, error: ProvisionError): Fix[] {
  if (!zoneFilter.pattern.test(error.text)) return [...senseFix(c, error), ...giveBlamedValue(c, error)];
  const isShare = provisionerOf(c)?.name.includes('manila') === true;
  const now = c.storageClassObject?.parameters?.['availability'];
  const place = now === undefined ? 'none is set now, so the default zone is taken' : `now ${now}`;
  const {
    text,
    commands = [],
    risk,
  } = recreateClass(
    c,
    `with availability=PLACEHOLDER_ZONE, a zone with a backend that is up (${place}); the owner of the OpenStack project finds it with the first two lines`,
    { parameters: { availability: 'PLACEHOLDER_ZONE' } },
    'Waiting claims are retried automatically within 5 minutes. If the zone is right, ask that owner to bring its backend back instead.',
  );
  return [
    steps(
      text,
      [
        isShare ? 'openstack share availability zone list' : 'openstack availability zone list --volume',
        isShare ? 'openstack share service list' : 'openstack volume service list',
        ...commands,
      ],
      risk,
    ),
  ];
}
