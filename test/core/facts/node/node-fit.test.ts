import { describe, expect, it } from 'vitest';
import { ClusterGraph } from '../../../../src/core/graph/cluster-graph.ts';
import { Inquiry } from '../../../../src/core/graph/inquiry.ts';
import { fitNodes } from '../../../../src/core/facts/node/node-fit.ts';
import { PodCase } from '../../../../src/core/facts/pod/pod-case.ts';
import type { Observation, RawObject } from '../../../../src/core/kube/snapshot.ts';

const complete = (kind: Observation['kind']): Observation => ({ kind, scope: {}, state: 'complete' });

function refusals(
  pod: object,
  node: object,
  others: readonly object[] = [],
  observations: readonly Observation[] = [complete('Node'), complete('Pod'), complete('Event')],
): { readonly text: string | undefined; readonly asked: readonly string[] } {
  const objects = [
    { kind: 'Pod', metadata: { name: 'app', namespace: 'shop', uid: 'app' }, ...pod },
    {
      kind: 'Node',
      metadata: { name: 'node-a', labels: { 'kubernetes.io/hostname': 'node-a' } },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } },
      ...node,
    },
    ...others,
  ] as RawObject[];
  const ask = new Inquiry(
    new ClusterGraph({
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'Snapshot',
      takenAt: '2026-03-01T12:00:00Z',
      source: { type: 'files', name: 'test' },
      objects,
      observations,
    }),
  );
  const found = ask.get('Pod', 'shop', 'app');
  if (found.state !== 'found') throw new Error('no pod');
  const [fit] = fitNodes(new PodCase(ask, found.object)).items;
  return { text: fit?.refusal?.text, asked: ask.unanswered.map(({ kind }) => kind) };
}

const requests = (cpu: string): object => ({ resources: { requests: { cpu } } });
const running = (name: string, cpu: string): object => ({
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: name },
  spec: { nodeName: 'node-a', containers: [{ name: 'main', ...requests(cpu) }] },
  status: { phase: 'Running' },
});

describe('what keeps a pod off a node', () => {
  it('is told in the order in which the scheduler asks', () => {
    const node = {
      spec: { unschedulable: true, taints: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }] },
    };
    expect(refusals({ spec: { nodeSelector: { disk: 'ssd' } } }, node).text).toBe('is cordoned');
    expect(refusals({ spec: { nodeSelector: { disk: 'ssd' } } }, { spec: { taints: node.spec.taints } }).text).toBe(
      'has taint dedicated=batch:NoSchedule',
    );
    expect(refusals({ spec: { nodeSelector: { disk: 'ssd' } } }, {}).text).toContain('does not have label disk=ssd');
  });

  it('leaves a tolerated taint and a mere preference alone', () => {
    expect(
      refusals(
        { spec: { tolerations: [{ operator: 'Exists' }] } },
        { spec: { unschedulable: true, taints: [{ key: 'a', effect: 'NoSchedule' }] } },
      ).text,
    ).toBeUndefined();
    expect(
      refusals({ spec: {} }, { spec: { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] } }).text,
    ).toBeUndefined();
  });

  it('counts sidecars with the containers and the greediest init container by itself', () => {
    const spec = (cpu: string): object => ({
      spec: {
        containers: [{ name: 'main', ...requests('2') }],
        initContainers: [
          { name: 'side', restartPolicy: 'Always', ...requests(cpu) },
          { name: 'once', ...requests('4') },
        ],
      },
    });
    expect(refusals(spec('2'), {}).text).toBeUndefined();
    expect(refusals(spec('2500m'), {}).text).toBe('has 4 cpu, and the pod requests 4500m');
  });

  it('adds up what other pods take, if all of them are at hand', () => {
    const pod = { spec: { containers: [{ name: 'main', ...requests('2') }] } };
    expect(refusals(pod, {}, [running('one', '1'), running('two', '1500m')]).text).toBe(
      'has 4 cpu, of which other pods request 2500m, and the pod requests 2',
    );
    expect(refusals(pod, {}, [running('one', '1'), running('two', '1')]).text).toBeUndefined();
  });

  it('does not ask for the pods of a node', () => {
    const pod = { spec: { containers: [{ name: 'main', ...requests('2') }] } };
    const { text, asked } = refusals(pod, {}, [running('one', '3')], [complete('Node'), complete('Event')]);
    expect(text).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('believes the scheduler when it complains of no lack', () => {
    const pod = {
      spec: { containers: [{ name: 'main', ...requests('64') }] },
      status: {
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            message: "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind.",
          },
        ],
      },
    };
    expect(refusals(pod, {}).text).toBeUndefined();
  });
});
