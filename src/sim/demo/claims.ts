import type { RawObject } from '../../core/kube/snapshot.ts';
import { attachmentName, sanitiseLeaseName } from '../../core/kube/names.ts';
import { event, object, uidOf } from './builders.ts';
import type { DemoClock } from './builders.ts';
import { diskDriver, diskProvisioner, diskZoneKey } from './names.ts';

export interface ClaimFacts {
  readonly namespace: string;
  readonly name: string;
  /** Minutes since it was created. */
  readonly age: number;
  readonly size: string;
  /** undefined: the claim names no class at all. */
  readonly className?: string;
  readonly modes?: readonly string[];
  /** The driver that has to create the volume. */
  readonly provisioner?: string;
  readonly selectedNode?: string;
  readonly volumeName?: string;
  readonly phase?: 'Pending' | 'Bound' | 'Lost';
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

const stayBound = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };

export function claim(clock: DemoClock, facts: ClaimFacts): RawObject {
  const { phase = 'Pending', modes = ['ReadWriteOnce'], size } = facts;
  const annotations = {
    ...(phase === 'Pending' ? {} : stayBound),
    ...(facts.provisioner === undefined ? {} : { 'volume.beta.kubernetes.io/storage-provisioner': facts.provisioner }),
    ...(facts.selectedNode === undefined ? {} : { 'volume.kubernetes.io/selected-node': facts.selectedNode }),
    ...(facts.provisioner === undefined ? {} : { 'volume.kubernetes.io/storage-provisioner': facts.provisioner }),
  };
  return object(
    clock,
    {
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      namespace: facts.namespace,
      name: facts.name,
      age: facts.age,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(facts.labels === undefined ? {} : { labels: facts.labels }),
      finalizers: ['kubernetes.io/pvc-protection'],
    },
    {
      spec: {
        accessModes: modes,
        resources: { requests: { storage: size } },
        ...(facts.className === undefined ? {} : { storageClassName: facts.className }),
        volumeMode: 'Filesystem',
        ...(facts.volumeName === undefined ? {} : { volumeName: facts.volumeName }),
        ...facts.spec,
      },
      status: phase === 'Bound' ? { accessModes: modes, capacity: { storage: size }, phase } : { phase },
    },
  );
}

export interface DynamicFacts extends ClaimFacts {
  readonly className: string;
  readonly driver: string;
  /** Where the volume can be used; absent: everywhere. */
  readonly zone?: string;
  /** Attached to this node. */
  readonly node?: string;
}

/** A claim that was provisioned and bound as it should be: claim, volume and, if a node uses it, attachment. */
export function boundClaim(clock: DemoClock, facts: DynamicFacts): readonly RawObject[] {
  const { namespace, name, driver, node } = facts;
  const uid = uidOf('PersistentVolumeClaim', namespace, name);
  const names: VolumeNames = {
    claimUid: uid,
    volume: `pvc-${uid}`,
    handle: `vol-${uid.replaceAll('-', '').slice(0, 17)}`,
    attachFinalizer: `external-attacher/${sanitiseLeaseName(driver)}`,
  };
  const bound = claim(clock, { ...facts, phase: 'Bound', volumeName: names.volume, provisioner: driver });
  const isAttached = node !== undefined && driver === diskDriver;
  const volume = provisionedVolume(clock, facts, names, isAttached);
  return isAttached ? [bound, volume, attachmentOf(clock, facts, names, node)] : [bound, volume];
}

interface VolumeNames {
  readonly claimUid: string;
  readonly volume: string;
  readonly handle: string;
  readonly attachFinalizer: string;
}

function provisionedVolume(clock: DemoClock, facts: DynamicFacts, names: VolumeNames, isAttached: boolean): RawObject {
  const { driver, zone } = facts;
  return object(
    clock,
    {
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      name: names.volume,
      age: facts.age,
      annotations: {
        'pv.kubernetes.io/provisioned-by': driver,
        'volume.kubernetes.io/provisioner-deletion-secret-name': '',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
      },
      finalizers: [
        'external-provisioner.volume.kubernetes.io/finalizer',
        'kubernetes.io/pv-protection',
        ...(isAttached ? [names.attachFinalizer] : []),
      ],
    },
    {
      spec: {
        accessModes: facts.modes ?? ['ReadWriteOnce'],
        capacity: { storage: facts.size },
        claimRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: facts.namespace,
          name: facts.name,
          uid: names.claimUid,
        },
        csi: {
          driver,
          volumeHandle: names.handle,
          ...(driver === diskDriver ? { fsType: 'ext4' } : {}),
          volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': `1700000000000-8081-${driver}` },
        },
        ...(zone === undefined ? {} : { nodeAffinity: zoneAffinity(zone) }),
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: facts.className,
        volumeMode: 'Filesystem',
      },
      status: { lastPhaseTransitionTime: clock.ago(facts.age), phase: 'Bound' },
    },
  );
}

function attachmentOf(
  clock: DemoClock,
  { driver, age }: DynamicFacts,
  { handle, volume, attachFinalizer }: VolumeNames,
  node: string,
): RawObject {
  return object(
    clock,
    {
      kind: 'VolumeAttachment',
      apiVersion: 'storage.k8s.io/v1',
      name: attachmentName(handle, driver, node),
      age,
      annotations: { 'csi.alpha.kubernetes.io/node-id': node },
      finalizers: [attachFinalizer],
    },
    {
      spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: volume } },
      status: { attached: true },
    },
  );
}

function zoneAffinity(zone: string): Record<string, unknown> {
  return {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: diskZoneKey, operator: 'In', values: [zone] }] }] },
  };
}

interface StaticVolumeFacts {
  readonly name: string;
  readonly className: string;
  readonly size: string;
  readonly modes: readonly string[];
  readonly age: number;
  readonly phase: 'Available' | 'Released';
  readonly claimRef?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A volume that a person created by hand on a file server. */
export function staticVolume(clock: DemoClock, facts: StaticVolumeFacts): RawObject {
  return object(
    clock,
    {
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      name: facts.name,
      age: facts.age,
      finalizers: ['kubernetes.io/pv-protection'],
      ...(facts.labels === undefined ? {} : { labels: facts.labels }),
    },
    {
      spec: {
        accessModes: facts.modes,
        capacity: { storage: facts.size },
        ...(facts.claimRef === undefined
          ? {}
          : { claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...facts.claimRef } }),
        nfs: { server: 'filer.example.com', path: `/export/${facts.name}` },
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: facts.className,
        volumeMode: 'Filesystem',
      },
      status: { lastPhaseTransitionTime: clock.ago(facts.age), phase: facts.phase },
    },
  );
}

/** What the volume controller reports every 15 seconds while an external provisioner is expected to act. */
export function waitsForProvisioner(clock: DemoClock, about: RawObject, driver: string, minutes: number): RawObject {
  return event(clock, about, {
    reason: 'ExternalProvisioning',
    message:
      `Waiting for a volume to be created either by the external provisioner '${driver}' or manually by the ` +
      'system administrator. If volume creation is delayed, please verify that the provisioner is running and ' +
      'correctly registered.',
    from: 'persistentvolume-controller',
    first: minutes,
    last: 0.2,
    count: Math.max(1, Math.round(minutes * 4)),
  });
}

/** Three events that hide one another: the attempt, the failure, and the controller's patience. */
export function failsToProvision(
  clock: DemoClock,
  about: RawObject,
  message: string,
  minutes: number,
): readonly RawObject[] {
  const attempts = Math.max(2, Math.round(minutes / 4));
  const { namespace, name } = about.metadata;
  return [
    event(clock, about, {
      reason: 'Provisioning',
      message: `External provisioner is provisioning volume for claim "${namespace ?? ''}/${name}"`,
      from: diskProvisioner,
      first: minutes,
      last: 2,
      count: attempts,
    }),
    event(clock, about, {
      type: 'Warning',
      reason: 'ProvisioningFailed',
      message,
      from: diskProvisioner,
      first: minutes,
      last: 2,
      count: attempts,
    }),
    waitsForProvisioner(clock, about, diskDriver, minutes),
  ];
}
