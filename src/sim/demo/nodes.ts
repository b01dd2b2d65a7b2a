import type { RawObject } from '../../core/kube/snapshot.ts';
import { textAt } from '../fields.ts';
import { object } from './builders.ts';
import type { DemoClock } from './builders.ts';
import { diskDriver, diskLimits, diskZoneKey, filesDriver, serverVersion, zoneOfNode } from './names.ts';

const bornMinutesAgo = 60 * 24 * 41;
const pressures = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** Three nodes in two zones, with their leases and what is attached to each. */
export function nodes(
  clock: DemoClock,
  attachments: readonly RawObject[],
  volumes: readonly RawObject[],
): readonly RawObject[] {
  const handles = new Map(
    volumes.map((volume) => [volume.metadata.name, textAt(volume, 'spec', 'csi', 'volumeHandle')]),
  );
  return Object.entries(zoneOfNode).flatMap(([name, zone], index) => {
    const attached = attachments
      .filter((attachment) => textAt(attachment, 'spec', 'nodeName') === name)
      .map(
        (attachment) =>
          `kubernetes.io/csi/${textAt(attachment, 'spec', 'attacher')}^${handles.get(textAt(attachment, 'spec', 'source', 'persistentVolumeName')) ?? ''}`,
      )
      .sort();
    const node = nodeOf(clock, name, zone, index, attached);
    return [node, csiNode(clock, node), nodeLease(clock, node)];
  });
}

function nodeOf(clock: DemoClock, name: string, zone: string, index: number, attached: readonly string[]): RawObject {
  const size = { cpu: '4', memory: '16374540Ki', pods: '110', 'ephemeral-storage': '101430960Ki' };
  return object(
    clock,
    {
      kind: 'Node',
      apiVersion: 'v1',
      name,
      age: bornMinutesAgo,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node-role.kubernetes.io/worker': '',
        'topology.kubernetes.io/region': 'region-1',
        'topology.kubernetes.io/zone': zone,
        [diskZoneKey]: zone,
      },
      annotations: {
        'csi.volume.kubernetes.io/nodeid': JSON.stringify({ [diskDriver]: name, [filesDriver]: name }),
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
    },
    {
      spec: { providerID: `example://${zone}/${name}` },
      status: {
        addresses: [
          { address: `192.0.2.${11 + index}`, type: 'InternalIP' },
          { address: name, type: 'Hostname' },
        ],
        allocatable: { ...size, cpu: '3800m', memory: '15350540Ki' },
        capacity: size,
        conditions: [
          ...pressures.map(([type, reason, message]) => condition(clock, type, 'False', reason, message)),
          condition(clock, 'Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
        ],
        nodeInfo: {
          architecture: 'amd64',
          containerRuntimeVersion: 'containerd://2.1.4',
          kernelVersion: '6.12.48',
          kubeletVersion: serverVersion,
          operatingSystem: 'linux',
          osImage: 'Debian GNU/Linux 13 (trixie)',
        },
        volumesAttached: attached.map((volume) => ({ devicePath: '', name: volume })),
        volumesInUse: attached,
      },
    },
  );
}

function condition(
  clock: DemoClock,
  type: string,
  status: string,
  reason: string,
  message: string,
): Record<string, unknown> {
  return {
    lastHeartbeatTime: clock.ago(1),
    lastTransitionTime: clock.ago(bornMinutesAgo),
    message,
    reason,
    status,
    type,
  };
}

function csiNode(clock: DemoClock, node: RawObject): RawObject {
  const { name } = node.metadata;
  return object(
    clock,
    { kind: 'CSINode', apiVersion: 'storage.k8s.io/v1', name, age: bornMinutesAgo, owner: node },
    {
      spec: {
        drivers: [
          { name: diskDriver, nodeID: name, topologyKeys: [diskZoneKey], allocatable: { count: diskLimits[name] } },
          { name: filesDriver, nodeID: name, topologyKeys: [] },
        ],
      },
    },
  );
}

function nodeLease(clock: DemoClock, node: RawObject): RawObject {
  const { name } = node.metadata;
  return object(
    clock,
    {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      namespace: 'kube-node-lease',
      name,
      age: bornMinutesAgo,
      owner: node,
    },
    { spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: clock.agoExactly(0.1) } },
  );
}
