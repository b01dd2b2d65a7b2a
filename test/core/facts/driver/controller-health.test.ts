import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../../src/core/facts/driver/controller.ts';
import {
  crashTrouble,
  leaderTrouble,
  leaseTrouble,
  podTrouble,
  withLogs,
  workloadTrouble,
} from '../../../../src/core/facts/driver/controller-health.ts';
import { fix } from '../../../../src/core/facts/evidence.ts';
import type { Lease, Pod } from '../../../../src/core/kube/kinds.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const lease: Lease = {
  kind: 'Lease',
  metadata: { namespace: 'storage', name: 'leader' },
  spec: { renewTime: '2026-03-01T11:40:00.000000Z', holderIdentity: 'old-pod' },
};
const stale: Controller['lease'] = { state: 'stale', name: 'leader', object: lease };
const missing: Controller['lease'] = { state: 'missing', name: 'leader' };
const pod = (name: string, status: Pod['status']): Pod => ({
  kind: 'Pod',
  metadata: { namespace: 'storage', name },
  status,
});
const none: Controller['pods'] = { items: [], complete: true };

function workload(
  replicas: number,
  kind: 'Deployment' | 'StatefulSet' = 'Deployment',
): NonNullable<Controller['workload']> {
  return {
    kind,
    namespace: 'storage',
    name: 'ctl',
    object: { kind, metadata: { namespace: 'storage', name: 'ctl' }, spec: { replicas } },
  };
}

describe('why a controller does not work', () => {
  it('names the pod that does not run, and shows the others beside it', () => {
    const waiting = pod('a', {
      containerStatuses: [{ name: 'driver', state: { waiting: { reason: 'ImagePullBackOff' } } }],
    });
    const trouble = podTrouble({
      lease: stale,
      pods: { items: [waiting, pod('b', { phase: 'Pending' })], complete: true },
    });
    expect(trouble?.words).toBe('is not running: pod/a in namespace storage is waiting (ImagePullBackOff)');
    expect(trouble?.evidence.map(({ object }) => object?.name)).toEqual(['a', 'b', 'leader', 'leader']);
    expect(trouble?.fix[0]?.command).toBe('kubectl -n storage set image pod a driver=PLACEHOLDER_IMAGE');
  });

  it('tells a workload that wants no pods from one that has none', () => {
    expect(workloadTrouble({ lease: missing, pods: none, workload: workload(0, 'StatefulSet') })).toMatchObject({
      words: 'is not running: statefulset/ctl in namespace storage is scaled to 0 replicas',
      fix: [{ command: 'kubectl -n storage scale statefulset ctl --replicas=1' }],
    });
    expect(workloadTrouble({ lease: missing, pods: none, workload: workload(2) })).toMatchObject({
      words: 'is not running: deployment/ctl in namespace storage has no pods',
      fix: [{ command: 'kubectl -n storage describe deployment ctl' }],
    });
  });

  it('does not say that a workload has no pods when not all of them could be read', () => {
    const unread = { items: [], complete: false };
    expect(workloadTrouble({ lease: missing, pods: unread, workload: workload(2) })).toBeUndefined();
    expect(workloadTrouble({ lease: missing, pods: unread, workload: workload(0) })?.words).toContain(
      'is scaled to 0 replicas',
    );
  });

  it('says since when no instance leads, and which did last', () => {
    expect(leaseTrouble({ lease: stale, pods: none }, 'the resizer of x', now)).toMatchObject({
      words: 'is not running: lease storage/leader was last renewed 20m ago (holder "old-pod")',
    });
    expect(
      leaseTrouble(
        { lease: { ...stale, object: { ...lease, spec: { ...lease.spec, holderIdentity: '' } } }, pods: none },
        'the resizer of x',
        now,
      )?.words,
    ).toBe('is not running: lease storage/leader was last renewed 20m ago');
    expect(leaseTrouble({ lease: missing, pods: none }, 'the resizer of x', now)).toBeUndefined();
  });

  it('restarts what runs without leading, before its log is read', () => {
    const idle = [pod('a', { phase: 'Running' })];
    const pods = { items: idle, complete: true };
    const trouble = leaderTrouble({ lease: stale, pods, workload: workload(1) }, idle, now);
    expect(trouble?.words).toBe(
      'runs but does not lead: lease storage/leader was last renewed 20m ago (holder "old-pod")',
    );
    expect(trouble && withLogs(trouble, fix('read the log')).fix.map(({ text, command }) => command ?? text)).toEqual([
      'kubectl -n storage rollout restart deployment ctl',
      'read the log',
    ]);
    // kubectl cannot roll the pods of an owner of another kind.
    const odd = leaderTrouble(
      { lease: stale, pods, workload: { kind: 'StorageCluster', namespace: 'storage', name: 'ctl' } },
      idle,
      now,
    );
    expect(odd?.fix[0]?.command).toBe('kubectl -n storage delete pod a');
  });

  it.each([
    [{ reason: 'OOMKilled', exitCode: 137 }, 'keeps crashing: out of memory'],
    [{ reason: 'Error', exitCode: 2 }, 'keeps crashing with exit code 2'],
    [{}, 'keeps crashing'],
  ])('tells how a container ended: %j', (terminated, words) => {
    const status = { name: 'driver', restartCount: 4, lastState: { terminated } };
    const trouble = crashTrouble({ lease: missing, pods: none }, [{ pod: pod('a', {}), status }]);
    expect(trouble.words).toBe(`does not work: container driver of pod/a in namespace storage ${words}`);
    expect(trouble.fix[0]?.command).toBe('kubectl -n storage logs a -c driver --previous --tail=50');
  });
});
