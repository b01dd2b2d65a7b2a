import { absent, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Lookup } from '../../graph/inquiry.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { applyCommand, createCommand, steps } from '../lib/steps.ts';
import { failureEvidence } from './failure-evidence.ts';
import { isLeftOut } from './left-out.ts';
import { mountFailuresOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { retryWords } from './failed-mount.ts';
import { driversText, registeredDrivers } from './csinode.ts';
import { nodeOf, podWords, toldVolume } from './told-volume.ts';
import { noCsiDriverText } from '../lib/driver-error/sentences/kubelet.ts';

type Mode = 'Ephemeral' | 'Persistent';

/**
 * Without a CSIDriver object that says otherwise, a driver serves persistent volumes only (kcsi csi_mounter.go,
 * csi_plugin.go).
 */
export const mountInlineUnsupported = podRule({
  cause: 'mount-inline-unsupported',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const unsupported = findUnsupported(p);
    if (!unsupported) return undefined;
    const { use, driver, needed } = unsupported;
    return {
      confidence: confidenceIn(unsupported),
      about: driver,
      summary:
        `The ${needed === 'Ephemeral' ? 'inline' : 'persistent'} volume "${use.name}" of ${podWords(p)} cannot ` +
        `be mounted: ${describeReason(unsupported)}`,
      evidence: evidenceOf(p, unsupported),
      fix: adviceFor(p, unsupported),
    };
  },
});

interface UnsupportedVolume {
  readonly use: VolumeUse;
  readonly driver: string;
  readonly needed: Mode;
  readonly object: Lookup<ObjectOf<'CSIDriver'>>;
  readonly failure: MountFailure | undefined;
}

function findUnsupported(p: PodCase): UnsupportedVolume | undefined {
  const failures = mountFailuresOf(p).filter(({ kind }) => kind === 'lifecycleMode');
  for (const use of volumeUsesOf(p)) {
    const { driver } = use;
    const needed = neededMode(use);
    if (driver === undefined || needed === undefined) continue;
    const failure = failures.find((candidate) => toldVolume(p, candidate) === use);
    const why = `whether ${driver} serves ${needed.toLowerCase()} volumes`;
    const object = p.ask.get('CSIDriver', undefined, driver, why);
    const unsupported = { use, driver, needed, object, failure };
    if (isRefused(p, unsupported)) return unsupported;
  }
  return undefined;
}

function neededMode(use: VolumeUse): Mode | undefined {
  if (use.isInline) return 'Ephemeral';
  return use.volumeObject?.spec?.csi ? 'Persistent' : undefined;
}

function isRefused(p: PodCase, { needed, object, failure }: UnsupportedVolume): boolean {
  if (object.state !== 'unknown') return !modesOf(object).includes(needed);
  // A dump without CSIDriver objects proves nothing about a persistent volume, which needs none.
  return failure !== undefined || (needed === 'Ephemeral' && isLeftOut(p, 'CSIDriver'));
}

function modesOf(object: UnsupportedVolume['object']): readonly string[] {
  return (object.state === 'found' ? object.object.spec?.volumeLifecycleModes : undefined) ?? ['Persistent'];
}

function confidenceIn({ object, failure }: UnsupportedVolume): Confidence {
  if (object.state !== 'unknown') return 'certain';
  return failure ? 'likely' : 'possible';
}

function hasNoObject({ object, failure }: UnsupportedVolume): boolean {
  return object.state !== 'found' || (failure !== undefined && noCsiDriverText.test(failure.text));
}

function describeReason(unsupported: UnsupportedVolume): string {
  const { driver, needed, object } = unsupported;
  if (hasNoObject(unsupported) && needed === 'Ephemeral')
    return `CSIDriver object ${driver} does not exist, so the kubelet accepts only persistent volumes of this driver.`;
  return `CSIDriver ${driver} allows only ${modesOf(object).join(' and ').toLowerCase()} volumes (volumeLifecycleModes).`;
}

function evidenceOf(p: PodCase, { use, driver, object, failure }: UnsupportedVolume): Explanation['evidence'] {
  return [
    use.isInline
      ? field(p.pod, `spec.volumes[${use.name}].csi.driver`, driver)
      : field(use.volumeObject ?? p.pod, 'spec.csi.driver', driver),
    ...driverEvidence(driver, object),
    ...(object.state === 'found' ? [] : registeredEvidence(p, driver)),
    ...failureEvidence(p, failure),
  ];
}

/** The driver runs: only its object is missing. */
function registeredEvidence(p: PodCase, driver: string): Evidence[] {
  const node = p.ask.graph.find('CSINode', undefined, nodeOf(p));
  return node && registeredDrivers(node).includes(driver) ? [field(node, 'spec.drivers', driversText(node))] : [];
}

function driverEvidence(driver: string, object: UnsupportedVolume['object']): Evidence[] {
  switch (object.state) {
    case 'found':
      return [field(object.object, 'spec.volumeLifecycleModes', modesOf(object).join(', '))];
    case 'missing':
      return [absent('CSIDriver', driver)];
    case 'unknown':
      return [];
  }
}

function adviceFor(p: PodCase, unsupported: UnsupportedVolume): Fix[] {
  if (unsupported.needed === 'Persistent')
    return [
      declareFix(p, unsupported),
      steps('Otherwise use an inline volume in the pod, or a class of another driver.', [], 'disruptive'),
    ];
  const { object, driver } = unsupported;
  const own = p.ask.seen('StorageClass').find(({ provisioner }) => provisioner === driver)?.metadata.name;
  const isDeclared = object.state === 'found' && !hasNoObject(unsupported);
  // A driver that declares its modes says what it can do, and what the pod names exists: other volumes can name it, too.
  const instead = [
    ...staticInstead(p, unsupported),
    ...(own === undefined ? [] : [claimInstead(p, unsupported, own, '')]),
  ];
  if (isDeclared && instead.length > 0) return [...instead, declareFix(p, unsupported)];
  // Without a class the driver makes no volumes: it provides what its inline volumes name, such as secrets.
  return own === undefined
    ? [declareFix(p, unsupported)]
    : [declareFix(p, unsupported), claimInstead(p, unsupported, own, 'Otherwise ')];
}

/** The source that an inline volume names can be mounted by the kubelet, or by the driver as a persistent volume. */
function staticInstead(p: PodCase, unsupported: UnsupportedVolume): Fix[] {
  const { use, driver } = unsupported;
  const attributes = use.podVolume.csi?.volumeAttributes ?? {};
  const { server, share } = attributes;
  if (Object.keys(attributes).length === 0 || /secret/i.test(driver)) return [];
  if (server === undefined || share === undefined || !/nfs/.test(driver))
    return [persistentInstead(p, unsupported, 'Use')];
  return [
    changePodFix(
      p.pod,
      { volumes: [{ name: use.name, csi: null, nfs: { server, path: share } }] },
      (where) =>
        `Use the NFS volume of the kubelet itself for ${server}:${share} ${where}: it needs no claim, and the NFS client ` +
        'on the node. It takes no mountOptions.',
    ),
    persistentInstead(p, unsupported, 'If mount options are needed, use'),
  ];
}

function persistentInstead({ pod }: PodCase, { use, driver }: UnsupportedVolume, lead: string): Fix {
  const attributes = use.podVolume.csi?.volumeAttributes ?? {};
  const namespace = pod.metadata.namespace ?? 'default';
  const name = `${pod.metadata.name}-${use.name}`;
  const size = { storage: '1Gi' };
  const accessModes = ['ReadWriteMany'];
  const fix = changePodFix(
    pod,
    { volumes: [{ name: use.name, csi: null, persistentVolumeClaim: { claimName: name } }] },
    (where) =>
      `${lead} a PersistentVolume of ${driver} with the attributes of the inline volume, and a claim for it, ${where}. ` +
      'Its size is only a label.',
  );
  return {
    ...fix,
    ...withCommands([
      createCommand({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: `${namespace}-${name}` },
        spec: {
          capacity: size,
          accessModes,
          storageClassName: '',
          persistentVolumeReclaimPolicy: 'Retain',
          claimRef: { kind: 'PersistentVolumeClaim', namespace, name },
          csi: { driver, volumeHandle: `${namespace}-${name}`, volumeAttributes: attributes },
        },
      }),
      createCommand({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace },
        spec: { accessModes, storageClassName: '', volumeName: `${namespace}-${name}`, resources: { requests: size } },
      }),
      ...(fix.commands ?? (fix.command === undefined ? [] : [fix.command])),
    ]),
  };
}

function withCommands(commands: readonly string[]): Pick<Fix, 'command' | 'commands'> {
  const { command, commands: all } = steps('', commands);
  return { ...(command !== undefined && { command }), ...(all !== undefined && { commands: all }) };
}

/** A generic ephemeral volume lives as long as the pod, too, and is provisioned by any class. */
function claimInstead(
  { pod }: PodCase,
  { use, driver }: UnsupportedVolume,
  own: string | undefined,
  when: string,
): Fix {
  const template = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: own ?? 'PLACEHOLDER_CLASS',
    resources: { requests: { storage: 'PLACEHOLDER_SIZE' } },
  };
  const volume = { name: use.name, csi: null, ephemeral: { volumeClaimTemplate: { spec: template } } };
  const words = own === undefined ? 'PLACEHOLDER_CLASS, PLACEHOLDER_SIZE' : 'PLACEHOLDER_SIZE is its size';
  return changePodFix(
    pod,
    { volumes: [volume] },
    (where) =>
      `${when === '' ? 'Use' : `${when}use`} a generic ephemeral ` +
      `volume${own === undefined ? '' : ` of StorageClass "${own}"`} instead of the inline volume ` +
      `"${use.name}" ${where} (${words}): it lives as long as the pod, too, and ` +
      `${own === undefined ? 'any class can provision it' : `${driver} provisions it`}.`,
  );
}

function declareFix(p: PodCase, unsupported: UnsupportedVolume): Fix {
  const { object, needed, driver } = unsupported;
  if (object.state === 'found' && !hasNoObject(unsupported)) {
    const modes = [...new Set([...modesOf(object), needed])];
    return steps(
      `If the documentation of ${driver} says that it supports ${needed.toLowerCase()} volumes, recreate its ` +
        `CSIDriver object with that mode: the field cannot be changed. ${retryWords}`,
      recreateCommands(object.object, { spec: { volumeLifecycleModes: modes } }),
      'disruptive',
    );
  }
  const isPersistent = hasVolumes(p, driver);
  const modes = [...new Set([...(isPersistent ? ['Persistent'] : []), needed])];
  const attaches = p.ask.seen('VolumeAttachment').some(({ spec }) => spec?.attacher === driver);
  // Inline volumes are never attached, and the driver learns that a volume is inline from the pod's data only
  // (csi.storage.k8s.io/ephemeral, csi_util.go getPodInfoAttrs).
  const attachRequired = attaches || (needed === 'Ephemeral' && !isPersistent ? false : 'PLACEHOLDER_BOOL');
  const podInfoOnMount = needed === 'Ephemeral' ? true : 'PLACEHOLDER_BOOL';
  const blank = [attachRequired, podInfoOnMount].includes('PLACEHOLDER_BOOL')
    ? '; "PLACEHOLDER_BOOL" is true or false without quotation marks, as the documentation of the driver says'
    : ', which is what inline volumes need';
  return steps(
    `Reapply the CSIDriver object from the release of ${driver}. If it is not at hand, apply this one${blank}. ${retryWords}`,
    [
      applyCommand({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIDriver',
        metadata: { name: driver },
        spec: { attachRequired, podInfoOnMount, volumeLifecycleModes: modes },
      }),
    ],
  );
}

/** Whether persistent volumes of the driver exist: a CSIDriver object without that mode would break them. */
function hasVolumes(p: PodCase, driver: string): boolean {
  return p.ask.seen('PersistentVolume').some(({ spec }) => spec?.csi?.driver === driver);
}
