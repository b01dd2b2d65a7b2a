import { describe, expect, it } from 'vitest';
import { ClusterGraph } from '../../../../src/core/graph/cluster-graph.ts';
import { Inquiry } from '../../../../src/core/graph/inquiry.ts';
import { migratedHandle } from '../../../../src/core/facts/volume/migrated-volume.ts';
import { PodCase } from '../../../../src/core/facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../../../src/core/facts/volume/volume-use.ts';
import type { VolumeUse } from '../../../../src/core/facts/volume/volume-use.ts';
import type { Volume } from '../../../../src/core/kube/kinds.ts';
import { loadScenario } from '../../../kit/scenario.ts';

function useIn(scenario: string, podName = 'web'): VolumeUse {
  const ask = new Inquiry(new ClusterGraph(loadScenario(scenario).snapshot));
  const pod = ask.get('Pod', 'shop', podName);
  if (pod.state !== 'found') throw new Error(`no pod ${podName} in ${scenario}`);
  return volumeUsesOf(new PodCase(ask, pod.object))[0] as VolumeUse;
}

describe('a volume of a pod', () => {
  it('finds its claim, its driver and its attachment by the computed name', () => {
    const use = useIn('attach-attacher-not-running');
    expect(use.claim?.name).toBe('data');
    expect(use.driver).toBe('csi.example.com');
    expect(use.uniqueName).toBe('kubernetes.io/csi/csi.example.com^vol-7d0c');
    expect(use.needsAttach).toBe(true);
    expect(use.attachment?.state).toBe('found');
    expect(use.isExclusive).toBe(true);
  });

  it('finds the attachment of a migrated in-tree volume', () => {
    const use = useIn('attach-attacher-not-running--migrated');
    expect(use.driver).toBe('ebs.csi.aws.com');
    expect(use.handle).toBe('vol-0abc');
    expect(use.attachment?.state).toBe('found');
  });

  it('knows of no driver for an in-tree volume on a server from before the migration', () => {
    const use = useIn('attach-rpc-attached-elsewhere--in-tree');
    expect(use.driver).toBeUndefined();
    expect(use.needsAttach).toBeUndefined();
  });

  it('forgets errors that were followed by success', () => {
    expect(useIn('attach-rwo-waiting-detach--overcome').attachEvents).toEqual([]);
    expect(useIn('attach-rwo-waiting-detach').attachEvents).toHaveLength(1);
  });

  it('sees other holders only of the same volume', () => {
    expect(useIn('attach-rwo-held-by-running-pod').otherAttachments.items.map(({ spec }) => spec?.nodeName)).toEqual([
      'node-a',
    ]);
  });
});

describe('the handle of a migrated volume', () => {
  const volume = (spec: object, labels: Record<string, string> = {}): Volume =>
    ({ kind: 'PersistentVolume', metadata: { name: 'pv', labels }, spec }) as Volume;

  it.each([
    [volume({ awsElasticBlockStore: { volumeID: 'aws://eu-1a/vol-1' } }), 'vol-1'],
    [volume({ awsElasticBlockStore: { volumeID: 'vol-1' } }), 'vol-1'],
    [
      volume({ gcePersistentDisk: { pdName: 'disk' } }, { 'topology.kubernetes.io/zone': 'us-east1-c' }),
      'projects/UNSPECIFIED/zones/us-east1-c/disks/disk',
    ],
    [
      volume({ gcePersistentDisk: { pdName: 'disk' } }, { 'topology.kubernetes.io/zone': 'us-east1-b__us-east1-c' }),
      'projects/UNSPECIFIED/regions/us-east1/disks/disk',
    ],
    [volume({ gcePersistentDisk: { pdName: 'disk' } }), undefined],
    [volume({ cinder: { volumeID: 'c-1' } }), 'c-1'],
  ])('%#', (object, handle) => {
    expect(migratedHandle(object)).toBe(handle);
  });
});
