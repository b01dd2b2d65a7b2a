import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import type { Diagnosis } from '../../../src/core/engine/diagnose.ts';
import type { TargetRef } from '../../../src/core/kube/selection.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import { loadScenario, snapshotOf } from '../../kit/scenario.ts';

const scenario = loadScenario('sc-missing');

function pod(name: string, owner: { kind: string; name: string }, labels: object = {}): RawObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      labels,
      creationTimestamp: scenario.snapshot.takenAt,
      ownerReferences: [{ ...owner, uid: owner.name, controller: true }],
    },
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
    status: { phase: 'Pending' },
  } as unknown as RawObject;
}

function workload(kind: string, name: string, spec: object = {}): RawObject {
  const apiVersion = kind.endsWith('Job') ? 'batch/v1' : 'apps/v1';
  return { apiVersion, kind, metadata: { name, namespace: 'shop', uid: name }, spec };
}

function why(kind: TargetRef['kind'], name: string, objects: readonly RawObject[], denied: string[] = []): Diagnosis {
  const snapshot: Snapshot = snapshotOf([...scenario.snapshot.objects, ...objects], { denied });
  return diagnose(snapshot, { targets: [{ kind, namespace: 'shop', name }] });
}

const found = ({ report }: Diagnosis): string[] =>
  report.items.map(({ target, status, cause }) => `${target.kind}/${target.name} ${status} ${cause ?? ''}`.trim());

describe('a workload as target', () => {
  it.each([
    ['StatefulSet', 'db', pod('db-0', { kind: 'StatefulSet', name: 'db' })],
    ['DaemonSet', 'agent', pod('agent-x', { kind: 'DaemonSet', name: 'agent' })],
    ['ReplicaSet', 'web-7f', pod('web-7f-x', { kind: 'ReplicaSet', name: 'web-7f' })],
    ['Deployment', 'web', pod('web-7f-x', { kind: 'ReplicaSet', name: 'web-7f' }, { 'pod-template-hash': '7f' })],
    ['Job', 'load', pod('load-x', { kind: 'Job', name: 'load' })],
    ['CronJob', 'nightly', pod('nightly-29-x', { kind: 'Job', name: 'nightly-29' })],
  ] as const)('%s: its pods and their claims are judged, and no others', (kind, name, own) => {
    const stranger = pod('other', { kind: 'ReplicaSet', name: `${name}-x-7f` }, { 'pod-template-hash': '7f' });
    expect(found(why(kind, name, [workload(kind, name), own, stranger]))).toEqual([
      'PersistentVolumeClaim/data blocked sc-missing',
      `Pod/${own.metadata.name} blocked sc-missing`,
    ]);
  });

  it('is not found where neither it nor a pod of it exists', () => {
    const { notFound, report } = why('Deployment', 'wed', [workload('Deployment', 'web')]);
    expect(notFound).toMatchObject([{ target: { name: 'wed' }, near: ['web'] }]);
    expect(report.items).toEqual([]);
  });

  it('without pods that it should have is not called healthy', () => {
    const [item] = why('Deployment', 'web', [workload('Deployment', 'web', { replicas: 2 })]).report.items;
    expect(item).toMatchObject({ status: 'unknown', summary: expect.stringContaining('has no pod') as unknown });
  });

  it('that is scaled to zero is healthy', () => {
    const [item] = why('Deployment', 'web', [workload('Deployment', 'web', { replicas: 0 })]).report.items;
    expect(item).toMatchObject({ status: 'healthy' });
  });

  it.each([[['Pod']], [['Pod', 'Deployment']]])('is never healthy for a reader who may not list %j', (denied) => {
    const own = pod('web-7f-x', { kind: 'ReplicaSet', name: 'web-7f' }, { 'pod-template-hash': '7f' });
    const { report } = why('Deployment', 'web', [workload('Deployment', 'web', { replicas: 1 }), own], denied);
    expect(report.items.map(({ status }) => status)).toEqual(['unknown']);
  });
});
