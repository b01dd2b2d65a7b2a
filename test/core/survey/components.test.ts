import { describe, expect, it } from 'vitest';
import type { KubeEvent } from '../../../src/core/kube/kinds.ts';
import { componentOfEvent } from '../../../src/core/survey/trace/components.ts';

const from = (component: string, reason = 'Something'): string =>
  componentOfEvent({ kind: 'Event', metadata: { name: 'event' }, reason, source: { component } } as KubeEvent);

describe('who sent an event', () => {
  it('is named as a person names it, whatever the source calls itself', () => {
    expect(from('persistentvolume-controller')).toBe('volume controller');
    expect(from('replicaset-controller')).toBe('ReplicaSet controller');
    expect(from('job-controller')).toBe('Job controller');
    expect(from('taint-eviction-controller')).toBe('taint eviction controller');
    expect(from('ephemeral_volume')).toBe('ephemeral volume controller');
    expect(from('external-attacher csi.example.com')).toBe('attacher');
    expect(from('snapshot-controller')).toBe('snapshot controller');
  });

  it('is the provisioner by its identity, also when it deletes', () => {
    const identity = 'csi.example.com_csi-controller-6d5f7-x2x4z_2f5c1d8a-2b7c-4d5e-9f00-1a2b3c4d5e6f';
    expect(from(identity, 'VolumeFailedDelete')).toBe('provisioner');
    expect(from(identity, 'Provisioning')).toBe('provisioner');
  });

  it('keeps the name of a program that is not known', () => {
    expect(from('node-problem-detector')).toBe('node-problem-detector');
    expect(from('')).toBe('unknown');
  });
});
