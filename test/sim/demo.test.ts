import { describe, expect, it } from 'vitest';
import { resources } from '../../src/core/kube/resources.ts';
import { addQuantities } from '../../src/core/kube/quantity.ts';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';

const now = new Date('2026-05-06T07:08:09.123Z');
const snapshot = demoSnapshot(now);
const ofKind = (kind: string): any[] => snapshot.objects.filter((object) => object.kind === kind);
const idOf = (object: RawObject): string => `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;

describe('the demo cluster', () => {
  it('is the same for the same time, and complete', () => {
    expect(demoSnapshot(now)).toEqual(snapshot);
    expect(snapshot.observations.map(({ kind, state }) => `${kind} ${state}`)).toEqual(
      resources.map(({ kind }) => `${kind} complete`),
    );
  });

  it('gives every object an identity of its own', () => {
    expect(new Set(snapshot.objects.map(idOf)).size).toBe(snapshot.objects.length);
    expect(new Set(snapshot.objects.map((object) => object.metadata.uid)).size).toBe(snapshot.objects.length);
    for (const object of snapshot.objects) expect(object.apiVersion, idOf(object)).toBeTruthy();
  });

  it('knows nothing of the future', () => {
    const times = JSON.stringify(snapshot.objects).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
    expect(times.length).toBeGreaterThan(300);
    expect(times.filter((time) => Date.parse(time) > now.getTime())).toEqual([]);
  });

  it('has events only about objects that are there, and none older than an hour', () => {
    const uids = new Set(snapshot.objects.map((object) => object.metadata.uid));
    for (const event of ofKind('Event')) {
      expect(uids.has(event.involvedObject.uid), event.metadata.name).toBe(true);
      const last = event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime;
      expect(now.getTime() - Date.parse(last), event.metadata.name).toBeLessThan(3_600_000);
    }
  });

  it('binds claims and volumes to one another', () => {
    const volumes = new Map(ofKind('PersistentVolume').map((volume) => [volume.metadata.name, volume]));
    for (const claim of ofKind('PersistentVolumeClaim').filter((candidate) => candidate.status.phase === 'Bound')) {
      expect(volumes.get(claim.spec.volumeName)?.spec.claimRef.uid, idOf(claim)).toBe(claim.metadata.uid);
    }
  });

  it('mounts in running pods only what is bound, and runs them where it is attached', () => {
    const claims = new Map(
      ofKind('PersistentVolumeClaim').map((claim) => [`${claim.metadata.namespace}/${claim.metadata.name}`, claim]),
    );
    const attached = new Set(
      ofKind('VolumeAttachment').map(
        (attachment) => `${attachment.spec.source.persistentVolumeName} ${attachment.spec.nodeName}`,
      ),
    );
    for (const pod of ofKind('Pod').filter((candidate) => candidate.status.phase === 'Running')) {
      for (const { persistentVolumeClaim: source } of pod.spec.volumes.filter(
        (volume: any) => volume.persistentVolumeClaim !== undefined,
      )) {
        const claim = claims.get(`${pod.metadata.namespace}/${source.claimName}`);
        expect(claim?.status.phase, idOf(pod)).toBe('Bound');
        if (claim.spec.storageClassName !== 'shared')
          expect(attached.has(`${claim.spec.volumeName} ${pod.spec.nodeName}`), idOf(pod)).toBe(true);
      }
    }
  });

  it('fills the slots of worker-3 and no other node', () => {
    const held = (node: string): number =>
      ofKind('VolumeAttachment').filter((attachment) => attachment.spec.nodeName === node).length;
    for (const node of ofKind('CSINode')) {
      const limit = node.spec.drivers[0].allocatable.count;
      expect(held(node.metadata.name) === limit, node.metadata.name).toBe(node.metadata.name === 'worker-3');
    }
  });

  it('counts against the quota what is there', () => {
    const [quota] = ofKind('ResourceQuota');
    const claims = ofKind('PersistentVolumeClaim').filter(
      (claim) => claim.metadata.namespace === quota.metadata.namespace,
    );
    expect(addQuantities(...claims.map((claim) => claim.spec.resources.requests.storage))).toBe(
      quota.status.used['requests.storage'],
    );
    expect(quota.status.used.persistentvolumeclaims).toBe(String(claims.length));
  });

  it('has a good deal of trouble in several namespaces', () => {
    const stuck = ofKind('PersistentVolumeClaim').filter((claim) => claim.status.phase !== 'Bound');
    expect(stuck.length).toBeGreaterThanOrEqual(15);
    expect(new Set(stuck.map((claim) => claim.metadata.namespace)).size).toBeGreaterThanOrEqual(4);
    expect(ofKind('Pod').filter((pod) => pod.status.phase === 'Pending').length).toBeGreaterThanOrEqual(8);
  });
});
