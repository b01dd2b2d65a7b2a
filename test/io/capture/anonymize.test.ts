import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anonymize } from '../../../src/io/capture/anonymize.ts';
import { makeCapture } from '../../../src/io/capture/make-capture.ts';
import { readFiles } from '../../../src/io/files/read-files.ts';
import { attachmentName } from '../../../src/core/kube/names.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';

const handle = 'acmevol-0a1b2c3d4e5f60718';
const node = 'ip-10-20-30-40.acme.internal';
const driver = 'ebs.csi.aws.com';
const attachment = attachmentName(handle, driver, node);

/** A word of the company in every place that may name something. */
const objects: readonly RawObject[] = [
  { kind: 'Namespace', metadata: { name: 'acmeshop' } },
  {
    kind: 'StatefulSet',
    metadata: { name: 'acmedb', namespace: 'acmeshop', labels: { 'acme.example/team': 'acmepayments', app: 'acmedb' } },
    spec: { selector: { matchLabels: { app: 'acmedb' } }, volumeClaimTemplates: [{ metadata: { name: 'acmedata' } }] },
  },
  {
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: 'acmedata-acmedb-0',
      namespace: 'acmeshop',
      uid: '6e1c3a52-0d0b-4b1e-9d5e-1f2a3b4c5d6e',
      annotations: { 'volume.kubernetes.io/selected-node': node, 'volume.kubernetes.io/storage-provisioner': driver },
    },
    spec: {
      storageClassName: 'acmefast',
      volumeName: 'pvc-6e1c3a52-0d0b-4b1e-9d5e-1f2a3b4c5d6e',
      resources: { requests: { storage: '10Gi' } },
    },
    status: { phase: 'Bound' },
  },
  {
    kind: 'PersistentVolume',
    metadata: { name: 'pvc-6e1c3a52-0d0b-4b1e-9d5e-1f2a3b4c5d6e' },
    spec: {
      csi: { driver, volumeHandle: handle },
      claimRef: {
        kind: 'PersistentVolumeClaim',
        namespace: 'acmeshop',
        name: 'acmedata-acmedb-0',
        uid: '6e1c3a52-0d0b-4b1e-9d5e-1f2a3b4c5d6e',
      },
    },
  },
  { kind: 'StorageClass', metadata: { name: 'acmefast' }, provisioner: driver, parameters: { type: 'gp3' } },
  {
    kind: 'Node',
    metadata: {
      name: node,
      labels: {
        'kubernetes.io/hostname': node,
        'topology.kubernetes.io/zone': 'acme-west-1a',
        'kubernetes.io/os': 'linux',
      },
    },
    spec: { providerID: 'aws:///acme-west-1a/i-0acme123456' },
    status: { volumesInUse: [`kubernetes.io/csi/${driver}^${handle}`], nodeInfo: { kubeletVersion: 'v1.36.4' } },
  },
  {
    kind: 'VolumeAttachment',
    metadata: { name: attachment },
    spec: {
      attacher: driver,
      nodeName: node,
      source: { persistentVolumeName: 'pvc-6e1c3a52-0d0b-4b1e-9d5e-1f2a3b4c5d6e' },
    },
    status: {
      attached: false,
      attachError: {
        message: `could not attach "${handle}" to node "i-0acme123456": user arn:aws:iam::123456789012:role/acmerole at 10.20.30.40 is refused`,
      },
    },
  },
  {
    kind: 'Pod',
    metadata: { name: 'acmedb-0', namespace: 'acmeshop', labels: { app: 'acmedb' } },
    spec: {
      nodeName: node,
      containers: [
        { name: 'acmemain', image: 'registry.acme.example/acmeteam/db:1.2', args: ['--endpoint=/acmepath/csi.sock'] },
      ],
    },
    status: { podIP: '10.20.30.41' },
  },
  {
    kind: 'Pod',
    metadata: { name: 'ebs-csi-controller-6d5f7', namespace: 'kube-system' },
    spec: { containers: [{ name: 'csi-provisioner', image: 'registry.k8s.io/sig-storage/csi-provisioner:v5.0.1' }] },
  },
  {
    kind: 'Lease',
    metadata: { name: 'ebs-csi-aws-com', namespace: 'kube-system' },
    spec: { holderIdentity: '1669000000000-8081-ebs-csi-aws-com' },
  },
  {
    kind: 'Lease',
    metadata: { name: 'external-attacher-leader-ebs-csi-aws-com', namespace: 'kube-system' },
    spec: { holderIdentity: 'acmecontroller-7f9' },
  },
  {
    kind: 'ResourceQuota',
    metadata: { name: 'acmequota', namespace: 'acmeshop' },
    spec: { hard: { 'acmefast.storageclass.storage.k8s.io/requests.storage': '1Ti' } },
  },
  {
    kind: 'Event',
    metadata: { name: 'acmedb-0.17a', namespace: 'acmeshop' },
    reason: 'FailedMount',
    message:
      'Unable to attach or mount volumes: unmounted volumes=[acmedata], pod "acmeshop/acmedb-0" on node ip-10-20-30-40.acme.internal (fe80::42:acff:fe11:2) for Pod acmeother-3 of user "acmebob@acme.example"',
    involvedObject: { kind: 'Pod', name: 'acmedb-0', namespace: 'acmeshop' },
    source: { component: 'ebs.csi.aws.com_ebs-csi-controller-6d5f7_acmehost' },
  },
  { kind: 'Secret', metadata: { name: 'acmesecret', namespace: 'acmeshop' } },
];

it('keeps that only some objects of a kind were read', () => {
  const observation = { kind: 'CSINode', scope: { first: 50 }, state: 'complete' } as const;
  const snapshot: Snapshot = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: '2026-05-06T07:08:09Z',
    source: { type: 'cluster', name: 'acme' },
    objects: [],
    observations: [observation],
  };
  expect(anonymize(snapshot, 'seed').observations).toEqual([observation]);
});

describe('a capture under other names', () => {
  const anonymous = disguise(objects);
  const text = JSON.stringify(anonymous);

  it('says nowhere whose it is', () => {
    for (const trace of [
      'acme',
      '10.20.30.4',
      '10-20-30-40',
      'fe80',
      '6e1c3a52',
      '123456789012',
      '0a1b2c3d4e5f60718',
      attachment,
      'zone-of-acme',
    ])
      expect(text.toLowerCase()).not.toContain(trace);
  });

  it('keeps what names refer to', () => {
    const [namespace] = of(anonymous, 'Namespace');
    const [claim] = of(anonymous, 'PersistentVolumeClaim');
    const [volume] = of(anonymous, 'PersistentVolume');
    const [set] = of(anonymous, 'StatefulSet');
    const [storageClass] = of(anonymous, 'StorageClass');
    const [host] = of(anonymous, 'Node');
    const [attached] = of(anonymous, 'VolumeAttachment');
    const template = at(set, 'spec.volumeClaimTemplates.0.metadata.name') as string;
    expect(claim?.metadata).toMatchObject({
      name: `${template}-${set?.metadata.name}-0`,
      namespace: namespace?.metadata.name,
      annotations: { 'volume.kubernetes.io/selected-node': host?.metadata.name },
    });
    expect(claim).toMatchObject({
      spec: { storageClassName: storageClass?.metadata.name, volumeName: volume?.metadata.name },
    });
    expect(volume?.metadata.name).toBe(`pvc-${claim?.metadata.uid}`);
    expect(volume).toMatchObject({
      spec: { claimRef: { name: claim?.metadata.name, namespace: namespace?.metadata.name, uid: claim?.metadata.uid } },
    });
    expect(attached?.metadata.name).toBe(
      attachmentName(at(volume, 'spec.csi.volumeHandle') as string, driver, host?.metadata.name ?? ''),
    );
    expect(at(host, 'status.volumesInUse.0')).toBe(
      `kubernetes.io/csi/${driver}^${String(at(volume, 'spec.csi.volumeHandle'))}`,
    );
    expect(Object.keys(at(of(anonymous, 'ResourceQuota')[0], 'spec.hard') as object)).toEqual([
      `${storageClass?.metadata.name}.storageclass.storage.k8s.io/requests.storage`,
    ]);
    expect(at(of(anonymous, 'Event')[0], 'message')).toContain(
      `pod "${namespace?.metadata.name}/${set?.metadata.name}-0" on node ${host?.metadata.name}`,
    );
  });

  it('keeps drivers, well-known labels, reasons, sizes and versions', () => {
    expect(of(anonymous, 'StorageClass')[0]).toMatchObject({ provisioner: driver, parameters: { type: 'gp3' } });
    expect(of(anonymous, 'Node')[0]).toMatchObject({
      metadata: { labels: { 'kubernetes.io/os': 'linux' } },
      status: { nodeInfo: { kubeletVersion: 'v1.36.4' } },
    });
    expect(of(anonymous, 'Lease').map(({ metadata }) => metadata)).toMatchObject([
      { name: 'ebs-csi-aws-com', namespace: 'kube-system' },
      { name: 'external-attacher-leader-ebs-csi-aws-com' },
    ]);
    expect(of(anonymous, 'PersistentVolumeClaim')[0]).toMatchObject({
      spec: { resources: { requests: { storage: '10Gi' } } },
      metadata: { annotations: { 'volume.kubernetes.io/storage-provisioner': driver } },
    });
    expect(at(of(anonymous, 'Event')[0], 'message')).toMatch(
      /^Unable to attach or mount volumes: unmounted volumes=\[/,
    );
    expect(
      of(anonymous, 'Pod').some((pod) =>
        String(at(pod, 'spec.containers.0.image')).endsWith('/csi-provisioner:v5.0.1'),
      ),
    ).toBe(true);
  });

  it('has the same names for the same key, and others for another', () => {
    expect(disguise(objects)).toEqual(anonymous);
    expect(of(disguise(objects, 'other'), 'Namespace')[0]?.metadata.name).not.toBe(
      of(anonymous, 'Namespace')[0]?.metadata.name,
    );
  });

  it('gives each name its own', () => {
    const many = Array.from({ length: 3000 }, (_, at): RawObject => ({
      kind: 'Namespace',
      metadata: { name: `team${at}` },
    }));
    expect(new Set(disguise(many).objects.map(({ metadata }) => metadata.name)).size).toBe(3000);
  });
});

describe('a dump of a real cluster under other names', () => {
  const truth = join(import.meta.dirname, '../../truth');
  /** Made of words that belong to Kubernetes, to CSI or to the names of drivers; `storage` is what a quota is about. */
  const common =
    /^(?:default|kube-[a-z.-]+|storage|snapshot-controller(?:-leader)?|[a-z0-9.-]*csi[a-z0-9.-]*|event-\d+)$/;

  it.each(readdirSync(truth))('%s holds none of its own names', async (name) => {
    const { snapshot } = makeCapture(await readFiles([join(truth, name, 'cluster.yaml')]));
    const written = JSON.stringify(
      anonymize(snapshot, 'key').objects.map(({ apiVersion: _, kind: __, ...rest }) => rest),
    );
    const names = new Set(
      snapshot.objects
        .flatMap(({ metadata }) => [metadata.name, ...(metadata.namespace === undefined ? [] : [metadata.namespace])])
        .filter((own) => !common.test(own)),
    );
    const left = [...names].filter((own) =>
      new RegExp(
        `(?<![A-Za-z0-9."-])${own.replaceAll('.', '\\.')}(?![A-Za-z0-9":-])|"${own.replaceAll('.', '\\.')}"(?!:)`,
      ).test(written),
    );
    expect(names.size).toBeGreaterThan(3);
    expect(left).toEqual([]);
  });
});

function disguise(list: readonly RawObject[], key = 'key'): Snapshot {
  const snapshot: Snapshot = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: '2026-03-01T12:00:00Z',
    source: { type: 'cluster', name: 'acme-production' },
    objects: list,
    observations: [
      {
        kind: 'Secret',
        scope: { namespace: 'acmeshop', name: 'acmemissing' },
        state: 'denied',
        message:
          'secrets "acmemissing" is forbidden: User "acmebob" cannot get resource "secrets" in API group "" in the namespace "acmeshop"',
      },
    ],
  };
  return anonymize(makeCapture(snapshot).snapshot, key);
}

function of(snapshot: Snapshot, kind: string): RawObject[] {
  return snapshot.objects.filter((object) => object.kind === kind);
}

function at(object: RawObject | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);
}
