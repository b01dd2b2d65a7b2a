import { describe, expect, it } from 'vitest';
import {
  nodeDownTexts,
  portsIn,
  saysHostMissing,
  unplacedTexts,
  wantedValueIn,
} from '../../../../../src/core/causes/lib/driver-error/senses/nodes.ts';

describe('what a storage says of the nodes that it serves', () => {
  it.each([
    "host with k8s node ID 'csi-node-1-10.0.0.7' not found",
    "Host for node: nvme_nqn: , fc_wwns : [''], iscsi_iqn : iqn.1994-05.com.example:b1 was not found, ensure all host ports are configured on storage",
    'no matching host found for initiator 21:00:00:24:ff:48:97:a2',
    'initiator iqn.1994-05.com.example:b1 is not registered on any array port',
    'SDC 10.0.0.7 is not connected to the system',
    'could not find host entry for node-b: igroup node-b does not exist',
  ])('misses a host of an array: %s', (words) => {
    expect(saysHostMissing(words)).toBe(true);
  });

  it.each([
    'dial tcp: lookup array.example.org: no such host',
    'volume vol-1 not found',
    'could not resolve host: array.example.org not found',
    'ESXi host esx-7 not found in cluster',
    'instance i-1 does not exist',
  ])('does not miss a host of an array: %s', (words) => {
    expect(saysHostMissing(words)).toBe(false);
  });

  it('knows the ports of a machine', () => {
    expect(portsIn('iscsi_iqn : iqn.1994-05.com.example:b1 was not found; wwn 21:00:00:24:ff:48:97:a2')).toEqual([
      'iqn.1994-05.com.example:b1',
      '21:00:00:24:ff:48:97:a2',
    ]);
    expect(portsIn('host node-b was not found')).toEqual([]);
  });

  it('reports a node as down', () => {
    expect(nodeDownTexts.test('Node node-b is not online')).toBe(true);
    expect(nodeDownTexts.test('storage peer node-b unreachable')).toBe(true);
    expect(nodeDownTexts.test('node node-b has no free device slot')).toBe(false);
    expect(nodeDownTexts.test('instance i-b is not running')).toBe(false);
  });

  it('has found no place for replicas', () => {
    expect(unplacedTexts.test('volume pvc-1 not scheduled')).toBe(true);
    expect(unplacedTexts.test('failed to schedule 2 replicas')).toBe(true);
    expect(unplacedTexts.test('replica r-1 scheduling failed: insufficient storage')).toBe(true);
    expect(unplacedTexts.test('pod web is not scheduled')).toBe(false);
    expect(unplacedTexts.test('volume pvc-1 is scheduled for deletion')).toBe(false);
  });

  it('asks for another value of a setting', () => {
    expect(wantedValueIn('encryption is on, but attachment type is not paravirtualized', 'attachment[ _-]?type')).toBe(
      'paravirtualized',
    );
    expect(wantedValueIn('the disk bus must be "scsi" on this machine', 'disk[ _-]?bus')).toBe('scsi');
    expect(wantedValueIn('attachment type is not supported', 'attachment[ _-]?type')).toBeUndefined();
    expect(wantedValueIn('attachment type is not set', 'attachment[ _-]?type')).toBeUndefined();
  });
});
