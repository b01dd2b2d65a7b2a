import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeCapture } from '../../../src/io/capture/make-capture.ts';
import { encodeCapture } from '../../../src/io/capture/write-capture.ts';
import { resources } from '../../../src/core/kube/resources.ts';
import { shapeOf } from '../../../src/core/kube/kinds.ts';
import type { Shape } from '../../../src/core/kube/shape.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';

const marker = 'zq7Marker9kx';
/** The same marker in every form that tells a credential by itself. */
const forms = {
  'an address with a password': `dial https://admin:${marker}@db.example.com:5432 failed`,
  'an assignment': `cannot log in with user=admin password=${marker}`,
  'a JSON field': `{"clientSecret": "${marker}", "retry": 1}`,
  'a header': `Authorization: Bearer ${marker}abcdef`,
  'a flag': `exec mount.cifs --password ${marker} //srv/share`,
  'a signed address': `GET https://blob.example.com/disk?sv=1&sig=${marker}`,
  'a web token': `token eyJhbGciOiJIUzI1NiJ9.${marker}.c2lnbmF0dXJl expired`,
  'a private key': `-----BEGIN RSA PRIVATE KEY-----\n${marker}\n-----END RSA PRIVATE KEY-----`,
  'a password in quotes': `login failed: user admin, password "${marker}"`,
  'a CHAP password': `iscsiadm: discovery with chap password ${marker} failed`,
  'a password without a verb': `retry with pwd ${marker}`,
  'a password in a sentence': `The passphrase for user bob is ${marker}.`,
  'a parameter in one word': `bad class: restuserkey=${marker}`,
  'an access key': `AKIA${marker.toUpperCase()} is not known`,
} as const;

describe('what is never in a capture', () => {
  it.each(Object.entries(forms))('%s, in any field of any kind', (_form, text) => {
    for (const { kind } of resources) {
      const object = { ...(fill(shapeOf(kind), text) as RawObject), kind };
      const written = write([{ ...object, metadata: { ...object.metadata, name: 'thing', namespace: 'shop' } }]);
      expect(written.toLowerCase(), kind).not.toContain(marker.toLowerCase());
      expect(written, kind).toContain('"name":"thing"');
    }
  });

  it('a field that no rule reads, of any kind', () => {
    for (const { kind } of resources) {
      const written = write([
        {
          apiVersion: 'v1',
          kind,
          metadata: { name: 'thing', own: marker },
          data: { a: marker },
          stringData: { a: marker },
          spec: { own: { deep: [marker] } },
          status: { own: marker },
        },
      ]);
      expect(written, kind).not.toContain(marker);
    }
  });

  it('what stands in a secret or a config map, and what kubectl apply wrote of it', () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ data: { a: marker } }),
      'example.com/note': marker,
    };
    for (const kind of ['Secret', 'ConfigMap']) {
      const written = write(
        [
          {
            kind,
            metadata: {
              name: 'thing',
              namespace: 'shop',
              annotations,
              managedFields: [{ manager: 'x', fieldsV1: { 'f:data': { [`f:${marker}`]: {} } } }],
            },
            type: 'Opaque',
            data: { a: marker },
            binaryData: { a: marker },
          },
        ],
        false,
      );
      expect(written, kind).toContain('"name":"thing"');
      if (kind === 'Secret') expect(written).not.toContain(`"example.com/note"`);
    }
  });

  it.each([
    ['an annotation of somebody', { metadata: { annotations: { 'example.com/note': marker } } }],
    ['an annotation that is called a token', { metadata: { annotations: { 'agent.kubernetes.io/token': marker } } }],
    [
      'what was applied',
      {
        metadata: {
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration': `{"spec":{"containers":[{"env":[{"value":"${marker}"}]}]}}`,
          },
        },
      },
    ],
    ['a variable', { spec: { containers: [{ name: 'a', env: [{ name: 'DB_PASSWORD', value: marker }] }] } }],
    [
      'a variable with a harmless name',
      { spec: { containers: [{ name: 'a', env: [{ name: 'GREETING', value: marker }] }] } },
    ],
    [
      'a variable of an init container',
      { spec: { initContainers: [{ name: 'a', env: [{ name: 'CSI_TOKEN', value: marker }] }] } },
    ],
    ['a flag', { spec: { containers: [{ name: 'a', args: [`--admin-password=${marker}`] }] } }],
    ['a flag and its value', { spec: { containers: [{ name: 'a', args: ['--token', marker] }] } }],
    ['a short flag', { spec: { containers: [{ name: 'a', args: [`-p${marker}`] }] } }],
    ['a flag of a driver that nobody knows', { spec: { containers: [{ name: 'a', args: [`--backend=${marker}`] }] } }],
    ['a script', { spec: { containers: [{ name: 'a', command: ['sh', '-c', `mysql -u root -p${marker} < dump`] }] } }],
    [
      'an inline volume',
      { spec: { volumes: [{ name: 'v', csi: { driver: 'x.example.com', volumeAttributes: { secretKey: marker } } }] } },
    ],
    [
      'the last words of a program',
      {
        spec: { containers: [{ name: 'a', image: 'shop:1' }] },
        status: {
          containerStatuses: [
            { name: 'a', lastState: { terminated: { reason: 'Error', message: `panic: ${marker}` } } },
          ],
        },
      },
    ],
  ])('%s of a pod', (_place, fields) => {
    expect(
      write([
        merge({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'thing', namespace: 'shop' } }, fields) as RawObject,
      ]),
    ).not.toContain(marker);
  });

  it.each([
    ['StorageClass', { provisioner: 'x.example.com', parameters: { adminPassword: marker } }],
    ['StorageClass', { provisioner: 'x.example.com', parameters: { resturl: `http://u:${marker}@heketi:8080` } }],
    ['StorageClass', { provisioner: 'x.example.com', mountOptions: [`password=${marker}`, 'vers=3.0'] }],
    ['StorageClass', { provisioner: 'kubernetes.io/glusterfs', parameters: { restuserkey: marker } }],
    ['StorageClass', { provisioner: 'x.example.com', parameters: { storageaccountkey: marker } }],
    ['VolumeSnapshotClass', { driver: 'x.example.com', parameters: { 'api-key': marker } }],
    ['VolumeAttributesClass', { driverName: 'x.example.com', parameters: { accessToken: marker } }],
    [
      'PersistentVolume',
      {
        spec: {
          csi: { driver: 'x.example.com', volumeHandle: 'v', volumeAttributes: { userKey: marker } },
          mountOptions: [`pass=${marker}`],
        },
      },
    ],
    [
      'VolumeAttachment',
      {
        spec: {
          source: {
            inlineVolumeSpec: {
              csi: { driver: 'x.example.com', volumeAttributes: { chapSecret: marker } },
              own: marker,
            },
          },
        },
        status: { attachmentMetadata: { sessionToken: marker } },
      },
    ],
    [
      'DaemonSet',
      {
        spec: {
          template: {
            metadata: { annotations: { 'example.com/x': marker } },
            spec: {
              containers: [{ name: 'a', env: [{ name: 'X', value: marker }], args: [`--secret-key=${marker}`] }],
            },
          },
        },
      },
    ],
    [
      'MutatingWebhookConfiguration',
      { webhooks: [{ name: 'a', clientConfig: { url: `https://a:${marker}@hooks.example.com`, caBundle: marker } }] },
    ],
  ])('a credential of a %s', (kind, fields) => {
    expect(write([{ apiVersion: 'v1', kind, metadata: { name: 'thing' }, ...fields }])).not.toContain(marker);
  });

  it('a credential that somebody else quotes', () => {
    const pod = {
      kind: 'Pod',
      metadata: { name: 'app', namespace: 'shop' },
      spec: { containers: [{ name: 'a', env: [{ name: 'DB_PASSWORD', value: marker }] }] },
      status: { conditions: [{ type: 'Ready', message: `started with ${marker}` }] },
    };
    const event = {
      kind: 'Event',
      metadata: { name: 'e', namespace: 'shop' },
      message: `MountVolume.SetUp failed: cannot log in with ${marker}, giving up`,
      involvedObject: { kind: 'Pod', name: 'app' },
    };
    const attachment = {
      kind: 'VolumeAttachment',
      metadata: { name: 'va' },
      status: { attachError: { message: `rpc error: code = Internal desc = bad key ${marker}` } },
    };
    const written = write([pod, event, attachment]);
    expect(written).not.toContain(marker);
    expect(written).toContain('MountVolume.SetUp failed: cannot log in with [redacted], giving up');
  });

  it('a credential in the words of the server', () => {
    const snapshot = snapshotOf([{ kind: 'Pod', metadata: { name: 'app' } }]);
    const written = text({
      ...snapshot,
      source: { type: 'cluster', name: `https://me:${marker}@cluster.example.com` },
      observations: [
        { kind: 'Secret', scope: {}, state: 'failed', message: `proxy http://me:${marker}@proxy refused` },
      ],
    });
    expect(written).not.toContain(marker);
    expect(written).toContain('proxy refused');
  });
});

describe('what stays in a capture', () => {
  it('everything by which a driver is found', () => {
    const container = {
      name: 'node-driver-registrar',
      image:
        'registry.k8s.io/sig-storage/csi-node-driver-registrar@sha256:4d1a7d0a4c5f7b3d2f9b1c0e8a6d5c4b3a29180f7e6d5c4b3a2918070f6e5d4c',
      args: [
        '--v=5',
        '--csi-address=$(ADDRESS)',
        '--kubelet-registration-path=/var/lib/kubelet/plugins/x.csi.example.com/csi.sock',
        '--endpoint',
        'unix:///csi/csi.sock',
        '--drivername=x.csi.example.com',
        '--leader-election',
        '--timeout=15s',
        '--feature-gates=Topology=true,Other=false',
        '-v5',
      ],
      env: [
        { name: 'ADDRESS', value: '/csi/csi.sock' },
        { name: 'CSI_ENDPOINT', value: 'unix:///csi/csi.sock' },
        { name: 'DRIVER_NAME', value: 'x.csi.example.com' },
        { name: 'KUBE_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ],
    };
    const written = read([
      { kind: 'Pod', metadata: { name: 'csi-node-1', namespace: 'storage' }, spec: { containers: [container] } },
    ]);
    expect(written.objects[0]).toMatchObject({ spec: { containers: [container] } });
  });

  it('parameters that name secrets and file systems, handles, uids and mount options', () => {
    const parameters = {
      'csi.storage.k8s.io/provisioner-secret-name': '${pvc.name}-creds',
      'csi.storage.k8s.io/provisioner-secret-namespace': 'storage',
      'csi.storage.k8s.io/fstype': 'ext4',
      type: 'gp3',
      iops: '3000',
      clusterID: 'rook-ceph',
      csiNodeStageSecretName: 'stage',
    };
    const volume = {
      spec: {
        csi: {
          driver: 'x.example.com',
          volumeHandle: '9f8e7d6c5b4a39281706f5e4d3c2b1a0',
          nodeStageSecretRef: { name: 'creds', namespace: 'storage' },
          volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': '1669000000000-8081-x.example.com' },
        },
        mountOptions: ['nfsvers=4.1', 'hard'],
      },
    };
    const { objects } = read([
      {
        kind: 'StorageClass',
        metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        parameters,
      },
      { kind: 'PersistentVolume', metadata: { name: 'pv', uid: '6e1c3a52-0d0b-4b1e-9d5e-1f2a3b4c5d6e' }, ...volume },
      {
        kind: 'Event',
        metadata: { name: 'e' },
        message:
          'volume 9f8e7d6c5b4a39281706f5e4d3c2b1a0 is attached by csi-4d1a7d0a4c5f7b3d2f9b1c0e8a6d5c4b3a29180f7e6d5c4b3a2918070f6e5d4c; secret "creds" not found, token: request failed',
      },
    ]);
    expect(objects).toMatchObject([
      {
        message:
          'volume 9f8e7d6c5b4a39281706f5e4d3c2b1a0 is attached by csi-4d1a7d0a4c5f7b3d2f9b1c0e8a6d5c4b3a29180f7e6d5c4b3a2918070f6e5d4c; secret "creds" not found, token: request failed',
      },
      volume,
      { parameters, metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } },
    ]);
  });

  it('the names of variables and flags, and where something was taken out', () => {
    const { snapshot, redactions } = makeCapture(
      snapshotOf([
        {
          kind: 'Pod',
          metadata: { name: 'app', namespace: 'shop' },
          spec: {
            containers: [{ name: 'a', args: [`--token=${marker}`], env: [{ name: 'DB_PASSWORD', value: marker }] }],
          },
        },
      ]),
    );
    expect(snapshot.objects[0]).toMatchObject({
      spec: { containers: [{ args: ['--token=[redacted]'], env: [{ name: 'DB_PASSWORD' }] }] },
    });
    expect(redactions).toEqual([
      { object: 'pod/shop/app', path: 'spec.containers[0].args[0]', what: 'argument' },
      { object: 'pod/shop/app', path: 'spec.containers[0].env[DB_PASSWORD]', what: 'environment value' },
    ]);
  });
});

describe('the bytes of a capture', () => {
  it('do not depend on the order in which things were read', () => {
    const objects: RawObject[] = [
      { kind: 'Pod', metadata: { name: 'b' }, spec: { nodeName: 'n', schedulerName: 's' } },
      { kind: 'Pod', metadata: { name: 'a' } },
      { kind: 'Node', metadata: { name: 'n' } },
    ];
    const backwards = objects
      .toReversed()
      .map((object) => Object.fromEntries(Object.entries(object).toReversed()) as RawObject);
    const encode = (list: readonly RawObject[]): Buffer => encodeCapture(makeCapture(snapshotOf(list)).snapshot, true);
    expect(encode(backwards).equals(encode(objects))).toBe(true);
    expect([...encode(objects).subarray(4, 8), encode(objects)[9]]).toEqual([0, 0, 0, 0, 255]);
  });
});

function snapshotOf(objects: readonly RawObject[]): Snapshot {
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: '2026-03-01T12:00:00Z',
    source: { type: 'cluster', name: 'test' },
    objects,
    observations: [],
  };
}

function text(snapshot: Snapshot): string {
  return gunzipSync(encodeCapture(makeCapture(snapshot).snapshot, true)).toString();
}

function write(objects: readonly RawObject[], isChecked = true): string {
  const written = text(snapshotOf(objects));
  if (!isChecked) expect(written).not.toContain(marker);
  return written;
}

function read(objects: readonly RawObject[]): Snapshot {
  return JSON.parse(write(objects)) as Snapshot;
}

/** An object with this text in every field that may hold one. */
function fill(shape: Shape, filling: string): unknown {
  if (shape === 'number') return 1;
  if (shape === 'boolean') return true;
  if (shape === 'any') return { [`f:${filling}`]: {}, deep: { text: filling } };
  if (typeof shape === 'string') return filling;
  if ('list' in shape) return [fill(shape.list, filling)];
  if ('map' in shape)
    return {
      'example.com/x': fill(shape.map, filling),
      'pv.kubernetes.io/x': fill(shape.map, filling),
      type: fill(shape.map, filling),
    };
  return Object.fromEntries(Object.entries(shape.fields).map(([key, field]) => [key, fill(field, filling)]));
}

function merge(target: object, patch: object): object {
  const result: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch))
    result[key] =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? merge((result[key] ?? {}) as object, value as object)
        : value;
  return result;
}
