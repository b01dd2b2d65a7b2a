import type { KubeEvent } from '../../kube/kinds.ts';
import { failureOfEvent, kindByWords } from '../lib/driver-error/kubelet-complaint.ts';
import type { FailureKind } from '../lib/driver-error/kubelet-complaint.ts';
import { groupFailedText } from '../lib/driver-error/sentences/kubelet.ts';
import { beingDeletedText } from '../lib/driver-error/senses/kubernetes.ts';
import { deviceMissingTexts, notAttachedTexts } from '../lib/driver-error/senses/missing.ts';
import { anyOf } from '../lib/driver-error/senses/wordings.ts';
import type { Reading } from './wording.ts';

const readingsOfKind: Readonly<Record<FailureKind, readonly Reading[]>> = {
  notRegistered: [
    { cause: 'driver-not-on-node', when: 'no pod of the driver runs on the node' },
    {
      cause: 'mount-driver-not-registered',
      when: 'the CSINode lists the driver, and the kubelet has lost the connection to it',
    },
    { cause: 'driver-daemonset-pod-unhealthy', when: 'the pod of the driver on that node crashes or is not ready' },
    { cause: 'driver-registration-failed', when: 'the pod of the driver runs, and its registrar reports an error' },
    {
      cause: 'driver-registration-path-wrong',
      when: 'the kubelet of the node has another root directory than the registrar was given',
    },
    { cause: 'driver-name-mismatch', when: 'the driver registers under another name' },
  ],
  forbidden: [{ cause: 'mount-va-forbidden' }],
  secretReference: [{ cause: 'mount-secret-missing' }],
  attachment: [{ cause: 'mount-va-not-ready' }],
  nodeAffinity: [{ cause: 'mount-node-affinity' }],
  lifecycleMode: [{ cause: 'mount-inline-unsupported' }],
  oncePod: [{ cause: 'mount-rwop-in-use' }],
  selinuxConflict: [{ cause: 'mount-selinux-conflict' }],
  selinuxMultiple: [{ cause: 'mount-selinux-multiple' }],
  mountOptions: [{ cause: 'mount-options-unsupported' }],
  noPlugin: [
    { cause: 'mount-plugin-not-matched', when: 'the volume has no source that this kubelet knows' },
    { cause: 'intree-removed-volume', when: 'the volume is of an in-tree type that this version has removed' },
    { cause: 'flexvolume-driver-missing', when: 'the volume is a flexVolume' },
  ],
  fsGroup: [{ cause: 'mount-fsgroup-failed' }],
  token: [{ cause: 'mount-token-request' }],
  secretKey: [{ cause: 'mount-secret-key-missing' }],
  configKey: [{ cause: 'mount-configmap-missing' }],
  secretVolume: [
    { cause: 'mount-secret-volume-missing' },
    { cause: 'pod-waits-bucketaccess-secret', when: 'a BucketAccess is to write the Secret' },
  ],
  configMap: [{ cause: 'mount-configmap-missing' }],
  projected: [{ cause: 'mount-projected-failed' }],
  claimNotBound: [
    { cause: 'mount-pvc-not-bound', when: 'the claim is not Bound, and its own events have the cause' },
    { cause: 'wffc-nodename-bypass', when: 'the pod sets spec.nodeName, and the class waits for the first consumer' },
  ],
  claimDeleting: [{ cause: 'mount-pvc-deleting' }],
  claimReference: [{ cause: 'mount-pv-claimref-mismatch' }],
  volumeMode: [{ cause: 'mount-volumemode-usage' }],
  expansion: [{ cause: 'resize-blocks-mount' }],
  fileSystem: [{ cause: 'mount-fs-mismatch' }],
  fsck: [{ cause: 'mount-fsck-failed' }],
  timeout: [{ cause: 'mount-rpc-timeout' }],
  pending: [{ cause: 'mount-rpc-pending' }, { cause: 'mount-rpc-timeout', when: 'the first error was a timeout' }],
  block: [{ cause: 'mount-block-map' }],
  stage: [{ cause: 'mount-stage-rpc' }],
  publish: [{ cause: 'mount-publish-rpc' }],
  inTree: [{ cause: 'mount-in-tree-failed' }, { cause: 'nfs-mount-failed', when: 'the volume is an NFS share' }],
  general: [],
};

const genericReadings: readonly Reading[] = [
  {
    cause: 'mount-generic-timeout',
    when: 'no other event of the pod names a reason: the state of its volumes decides',
  },
  { cause: 'mount-secret-volume-missing', when: 'a Secret or ConfigMap of the pod does not exist' },
  { cause: 'driver-not-on-node', when: 'the driver does not run on the node' },
  { cause: 'mount-fsgroup-slow', when: 'the pod sets fsGroup, and the volume has very many files' },
];

const start =
  /(?:MountVolume|MapVolume|UnmountVolume)\.|Unable to (?:attach or )?mount volumes|kubernetes\.io\/csi: |fetching Node\w+SecretRef/;
const nfsText = /mount\.nfs|~nfs|-t nfs|access denied by server|\(e\.g\. nfs|\bnfs4?\b/i;

/** FailedMount and FailedMapVolume, read as the rules read them. */
export function kubeletReadings(text: string): readonly Reading[] {
  const message = text.slice(start.exec(text)?.index ?? 0);
  const event: KubeEvent = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'text', namespace: 'default', uid: 'text' },
    reason: /MapVolume\.|FailedMapVolume/.test(text) ? 'FailedMapVolume' : 'FailedMount',
    message,
  } as KubeEvent;
  const failure = failureOfEvent(event);
  if (!failure) return [];
  if (beingDeletedText.test(message)) return [{ cause: 'va-terminating-blocks-attach' }];
  if (failure.kind === 'general') return genericReadings;
  if (noClientText.test(message)) return readingsOfKind.notRegistered;
  const isOfDriver = /rpc error|kubernetes\.io\/csi/.test(message);
  // Only a CSI volume has its group set in words like these.
  if (failure.kind === 'inTree' && groupFailedText.test(message)) return readingsOfKind.publish;
  if (failure.kind === 'inTree' && nfsText.test(message) && !/-t cifs|mount error\(/.test(message))
    return [{ cause: 'nfs-mount-failed' }];
  if (failure.kind === 'forbidden' && /SecretRef/.test(message))
    return [
      { cause: 'mount-va-forbidden' },
      { cause: 'mount-secret-missing', when: 'the secret does not exist, or only a volume names it' },
    ];
  if (failure.kind === 'inTree' && (failure.operation === 'MountVolume.MountDevice' || /\brbd: /.test(message)))
    return [{ cause: 'mount-stage-rpc' }, { cause: 'mount-in-tree-failed', when: 'the volume is of an in-tree type' }];
  if (isOfDriver && nfsText.test(message) && /mount failed|mount\.nfs|exit status/.test(message))
    return [
      ...readingsOfKind[failure.kind],
      { cause: 'nfs-mount-failed', when: 'the pod or the volume names the NFS share itself' },
    ];
  if (failure.kind === 'stage' && deviceText.test(message))
    return [
      ...readingsOfKind.stage,
      {
        cause: 'attach-not-required-but-needed',
        when: 'its CSIDriver has attachRequired: false, and it wants the volume attached',
      },
    ];
  const isUnnamed = failure.operation === undefined && isOfDriver && !/\.(?:SetUp|MountDevice)/.test(message);
  if (isUnnamed && failure.kind === 'publish')
    return [
      { cause: 'mount-stage-rpc', when: 'the call was NodeStageVolume (MountVolume.MountDevice)' },
      { cause: 'mount-publish-rpc', when: 'the call was NodePublishVolume (MountVolume.SetUp)' },
    ];
  return readingsOfKind[failure.kind];
}

/** The kubelet has no connection to the driver; the end of the sentence is often cut off. */
const noClientText = /failed to create newCsiDriverClient|failed to get CSI client/;

/** The volume is not seen on the node. */
const deviceText = anyOf(deviceMissingTexts, notAttachedTexts, /mount error\(13\)/);

/** Kinds that a driver's answer to another call can have as well. */
const ofAnyCall: readonly FailureKind[] = ['timeout', 'pending', 'expansion'];

const secretReadings: readonly Reading[] = [
  { cause: 'mount-secret-volume-missing', when: 'a pod mounts the secret as a volume' },
  { cause: 'mount-secret-missing', when: 'the volume names the secret (nodeStageSecretRef, nodePublishSecretRef)' },
  { cause: 'provision-secret-missing', when: 'the StorageClass names the secret' },
];

/** The kubelet's own words, without the name of the step. */
export function readingsOfKubeletWords(text: string): readonly Reading[] {
  const kind = kindByWords(text);
  if (kind === undefined || ofAnyCall.includes(kind)) return [];
  if (kind === 'secretVolume') return secretReadings;
  const when = ofPodSource[kind];
  return when === undefined ? readingsOfKind[kind] : readingsOfKind[kind].map(({ cause }) => ({ cause, when }));
}

/** A container can miss them for its environment, too, and a pod for other things than volumes. */
const ofPodSource: Partial<Record<FailureKind, string>> = {
  configMap: 'a pod mounts the config map as a volume, and does not only read variables from it',
  configKey: 'a pod mounts the config map as a volume, and does not only read variables from it',
  projected: 'a pod that waits for its volumes reports it',
};
