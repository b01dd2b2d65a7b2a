import { describe, expect, it } from 'vitest';
import { likeness, servedNames } from '../../../../src/core/facts/driver/driver-pods.ts';
import type { PodSpec } from '../../../../src/core/facts/driver/driver-pods.ts';

const containerOf = (fields: Record<string, unknown>): PodSpec => ({
  containers: [{ name: 'nfs-provisioner', image: 'example.org/nfs-provisioner:v4', ...fields }],
});
const namesOf = (fields: Record<string, unknown>): string[] => servedNames(containerOf(fields)).map(({ name }) => name);

describe('the name under which a pod provisions', () => {
  it.each([
    [{ env: [{ name: 'PROVISIONER_NAME', value: 'example.com/nfs' }] }],
    [{ args: ['-provisioner=example.com/nfs'] }],
    [{ args: ['--provisioner', 'example.com/nfs'] }],
    [{ command: ['local-path-provisioner', 'start', '--provisioner-name', 'example.com/nfs'] }],
    [{ args: ['-provisioner=$(PROVISIONER_NAME)'], env: [{ name: 'PROVISIONER_NAME', value: 'example.com/nfs' }] }],
  ])('is told by a variable or an argument: %j', (fields) => {
    expect(namesOf(fields)).toEqual(['example.com/nfs']);
  });

  it.each([
    ['nothing tells', {}],
    [
      'it is put together elsewhere',
      { env: [{ name: 'PROVISIONER_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
    ],
    ['the flag is a switch', { args: ['--provisioner'] }],
    [
      'a CSI sidecar asks its driver',
      { image: 'example.org/csi-provisioner:v6', args: ['--provisioner=example.com/nfs'] },
    ],
    ['a CSI sidecar by its arguments', { args: ['--csi-address=/csi/csi.sock', '--provisioner=example.com/nfs'] }],
    [
      'it is no provisioner',
      { name: 'shop', image: 'example.org/shop:1', env: [{ name: 'PROVISIONER_NAME', value: 'example.com/nfs' }] },
    ],
  ])('is unknown where %s', (_why, fields) => {
    expect(namesOf(fields)).toEqual([]);
  });

  it('leaves no likeness to another name', () => {
    const spec = containerOf({ env: [{ name: 'PROVISIONER_NAME', value: 'cluster.local/nfs' }] });
    expect(likeness('nfs-provisioner', spec, 'example.com/nfs')).toBe(0);
    expect(likeness('nfs-provisioner', containerOf({}), 'example.com/nfs')).toBe(1);
  });
});
