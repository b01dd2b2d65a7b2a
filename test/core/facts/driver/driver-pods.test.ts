import { expect, it } from 'vitest';
import { driverContainerOf, mentionsDriver } from '../../../../src/core/facts/driver/driver-pods.ts';

const spec = { containers: [{ name: 'plugin', args: ['--drivername=files.csi.example.com'] }] };

it('ends for a driver without a name, as a damaged CSINode lists it', () => {
  expect(mentionsDriver(spec, '')).toBe(false);
});

it('finds a name only as a whole', () => {
  expect(mentionsDriver(spec, 'files.csi.example.com')).toBe(true);
  expect(mentionsDriver(spec, 'csi.example.com')).toBe(false);
});

it('calls no sidecar the container of the driver', () => {
  const sidecars = ['csi-provisioner', 'csi-attacher', 'csi-snapshotter', 'node-driver-registrar', 'liveness-probe'];
  const alone = sidecars.map((name) => ({ name, image: `registry.example.org/${name}:v1` }));
  expect(driverContainerOf({ containers: alone })).toBeUndefined();
  expect(driverContainerOf({ containers: [...alone, ...spec.containers] })?.name).toBe('plugin');
});
