import { describe, expect, it } from 'vitest';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import { ask, claim, serve, table } from './cluster.ts';

/** The rows as people see them: wide columns included. */
async function printed(objects: readonly RawObject[], path: string): Promise<string[]> {
  const server = await serve(objects);
  const { body } = await ask(server, path, table);
  return [
    body.columnDefinitions.map((column: any) => column.name).join('|'),
    ...body.rows.map((row: any) => row.cells.join('|')),
  ];
}

const born = '2026-03-01T11:46:00Z';
const running = (name: string, status: Record<string, unknown>, more: Record<string, unknown> = {}): RawObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', creationTimestamp: born, ...more },
  spec: { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i' }] },
  status: { phase: 'Pending', ...status },
});
const podStatus = async (pod: RawObject): Promise<string> =>
  ((await printed([pod], '/api/v1/pods'))[1] ?? '').split('|').slice(1, 4).join(' ');

describe('tables', () => {
  it('prints claims and volumes as kubectl does', async () => {
    const bound = {
      ...claim('shop', 'data'),
      spec: { volumeName: 'pv-1', storageClassName: 'fast', volumeMode: 'Filesystem' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
    };
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-1', creationTimestamp: born, deletionTimestamp: born },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOncePod'],
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { namespace: 'shop', name: 'data' },
      },
      status: { phase: 'Released' },
    };
    expect(await printed([bound, claim('shop', 'waiting')], '/api/v1/persistentvolumeclaims')).toEqual([
      'Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|VolumeMode',
      'data|Bound|pv-1|1Gi|RWO,RWX|fast|<unset>|14m|Filesystem',
      'waiting|Pending||||fast|<unset>|14m|<unset>',
    ]);
    expect(await printed([volume], '/api/v1/persistentvolumes')).toEqual([
      'Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|VolumeMode',
      'pv-1|1Gi|RWOP|Delete|Terminating|shop/data||<unset>||14m|<unset>',
    ]);
  });

  it('marks the default class', async () => {
    const fast = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: {
        name: 'fast',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
        creationTimestamp: born,
      },
      provisioner: 'p',
    };
    expect((await printed([fast], '/apis/storage.k8s.io/v1/storageclasses'))[1]).toBe(
      'fast (default)|p|Delete|Immediate|false|14m',
    );
  });

  it('finds the word for the state of a pod', async () => {
    const container = (
      state: Record<string, unknown>,
      more: Record<string, unknown> = {},
    ): Record<string, unknown> => ({ name: 'a', state, ready: false, restartCount: 0, ...more });
    const done = container({ terminated: { exitCode: 0 } }, { name: 'i' });
    expect(await podStatus(running('p', {}))).toBe('0/2 Pending 0');
    expect(
      await podStatus(
        running('p', { initContainerStatuses: [container({ waiting: { reason: 'PodInitializing' } }, { name: 'i' })] }),
      ),
    ).toBe('0/2 Init:0/1 0');
    expect(
      await podStatus(
        running('p', {
          initContainerStatuses: [container({ terminated: { exitCode: 1, reason: 'Error' } }, { name: 'i' })],
        }),
      ),
    ).toBe('0/2 Init:Error 0');
    expect(
      await podStatus(
        running('p', {
          initContainerStatuses: [done],
          containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } })],
        }),
      ),
    ).toBe('0/2 ContainerCreating 0');
    const crashed = container(
      { waiting: { reason: 'CrashLoopBackOff' } },
      { restartCount: 4, lastState: { terminated: { finishedAt: '2026-03-01T11:58:00Z' } } },
    );
    expect(
      await podStatus(
        running('p', { phase: 'Running', containerStatuses: [crashed, container({ running: {} }, { ready: true })] }),
      ),
    ).toBe('1/2 CrashLoopBackOff 4 (2m ago)');
    expect(await podStatus(running('p', { conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] }))).toBe(
      '0/2 SchedulingGated 0',
    );
    expect(await podStatus(running('p', { phase: 'Running' }, { deletionTimestamp: born }))).toBe('0/2 Terminating 0');
  });

  it('prints the event that was seen last, whoever wrote it', async () => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'shop', creationTimestamp: born },
      type: 'Warning',
      reason: 'FailedScheduling',
      message: 'no node\n',
      involvedObject: { kind: 'Pod', name: 'web' },
      eventTime: born,
      firstTimestamp: null,
      lastTimestamp: null,
      series: { count: 3, lastObservedTime: '2026-03-01T11:59:30Z' },
      source: {},
      reportingComponent: 'default-scheduler',
    };
    expect((await printed([event], '/api/v1/events'))[1]).toBe(
      '30s|Warning|FailedScheduling|pod/web||default-scheduler|no node|14m|3|e',
    );
  });

  it('includes as much of the object as was asked for', async () => {
    const server = await serve([claim('shop', 'data')]);
    const row = async (query: string): Promise<any> =>
      (await ask(server, `/api/v1/persistentvolumeclaims${query}`, table)).body.rows[0].object;
    expect(await row('')).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'data' } });
    expect(await row('?includeObject=None')).toBeNull();
    expect(await row('?includeObject=Object')).toMatchObject({
      kind: 'PersistentVolumeClaim',
      spec: { storageClassName: 'fast' },
    });
    expect((await ask(server, '/api/v1/pods?includeObject=Some', table)).status).toBe(400);
  });

  it('survives objects that are nothing like what they claim to be', async () => {
    const odd = ['PersistentVolumeClaim', 'Pod', 'Node', 'Event'].map((kind): RawObject => ({
      apiVersion: 'v1',
      kind,
      metadata: { name: 'odd', namespace: 'shop', labels: 7, creationTimestamp: {} },
      spec: 'no',
      status: [null],
    }));
    const server = await serve(odd);
    for (const path of ['persistentvolumeclaims', 'pods', 'events'])
      expect((await ask(server, `/api/v1/${path}?labelSelector=!a`, table)).body.rows).toHaveLength(1);
  });
});
