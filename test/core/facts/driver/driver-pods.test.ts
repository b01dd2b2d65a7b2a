import { expect, it } from 'vitest';
import { mentionsDriver } from '../../../../src/core/facts/driver/driver-pods.ts';

const spec = { containers: [{ name: 'plugin', args: ['--drivername=files.csi.example.com'] }] };

it('ends for a driver without a name, as a damaged CSINode lists it', () => {
  expect(mentionsDriver(spec, '')).toBe(false);
});

it('finds a name only as a whole', () => {
  expect(mentionsDriver(spec, 'files.csi.example.com')).toBe(true);
  expect(mentionsDriver(spec, 'csi.example.com')).toBe(false);
});
