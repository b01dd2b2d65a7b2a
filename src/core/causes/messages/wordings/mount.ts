import {
  fuseProcessGoneText,
  mountHelperMissingTexts,
  staleHandleText,
  unknownFeatureTexts,
  unknownTypeText,
  wrongFileSystemTexts,
} from '../../lib/driver-error/senses/file-system.ts';
import { anyOf } from '../../lib/driver-error/senses/wordings.ts';
import { alone, only, shared, symptom } from '../wording.ts';
import type { Wording } from '../wording.ts';

/**
 * What the kubelet, the registrar and the container runtime report in addition to FailedMount, which the parser of the
 * rules reads.
 */
export const mountWordings: readonly Wording[] = [
  ...only('attach-not-required-but-needed', /ControllerPublishVolume must be called on/),
  symptom(/failed to sync (?:configmap|secret|config map) cache/i, {
    'in-progress': 'the pod has just started: it passes within seconds',
  }),
  ...only('gitrepo-disabled', /git-?repo volume plugin has been disabled/i),
  ...only(
    'flexvolume-driver-missing',
    /no volume plugin matched[^]*flexvolume|flexvolume[^]*no volume plugin matched|failed to find plugin[^]*flexvolume/i,
  ),
  ...only('hostpath-type-check', /hostPath type check failed/),
  ...only(
    'local-path-missing',
    /(?:NewMounter initialization|SetUp|MountDevice|NewMapper initialization)[^]* failed (?:(?!rpc error)[^])*(?:path "[^"]+" does not exist|only directory and block device are supported|invalid path)/,
  ),
  ...only('local-path-missing', /only directory and block device are supported/),
  ...only('mount-subpath', /failed to (?:prepare|create) subPath/),
  ...only('mount-selinux-multiple', /\bMultipleSELinuxLabels\b|multiple SELinux labels found/),
  ...only('mount-selinux-conflict', /\bSELinux(?:Label|ChangePolicy)Conflict\b|conflicting SELinux labels of volume/),
  ...only(
    'mount-fsgroup-slow',
    /Setting volume ownership for \S+|setting volume ownership could be slow|VolumePermissionChangeInProgress/i,
  ),
  ...only(
    'mount-fs-mismatch',
    /FailedMountOnFilesystemMismatch|failed to mount the volume as "[^"]*", it already contains/,
  ),
  ...only('driver-nodeid-empty', /driverNodeID must not be empty/),
  ...only('driver-topology-collision', /detected topology value collision/),
  ...only(
    'driver-version-conflict',
    /Another driver with the same name is already registered with a higher supported version|None of the versions specified .* are supported/,
  ),
  ...only('driver-node-update-denied', /error updating (?:Node|CSINode) object with CSI driver node info/),
  ...only(
    'driver-nodegetinfo-failed',
    /plugin registration failed with err: rpc error|[Ee]rror (?:calling|getting) (?:CSI )?NodeGetInfo|RegisterPlugin error --[^]*NodeGetInfo/,
  ),
  ...only(
    'driver-registration-failed',
    /Registration process failed with error|RegisterPlugin error -- plugin registration failed/,
  ),
  symptom(/\bFailedCreatePodSandBox\b|Failed to create pod sandbox/, {
    'mount-not-storage': 'the pod has volumes: the kubelet creates the sandbox after they are mounted',
  }),
  symptom(/\bImagePullBackOff\b|Back-off pulling image|\bErrImagePull\b/, {
    'mount-not-storage': 'the pod has volumes: the kubelet pulls images after they are mounted',
    'image-volume-pull': 'the image is that of a volume of the pod (volumes[].image)',
  }),
  shared(
    /context deadline exceeded[^]*CreateContainer|CreateContainer\w*[^]*context deadline exceeded|failed to reserve container name|\bname \S+ is reserved for/,
    {
      'container-create-volume-slow':
        'the pod has a volume with very many files, and the runtime relabels them or changes their owner',
    },
  ),
  ...only('driver-liveness-restart', /driver responded but is not ready/),
  shared(/Still connecting to (?:unix:)?\/|Lost connection to CSI driver(?!, exiting)/, {
    'driver-daemonset-pod-unhealthy': 'the line is of a pod of the driver on a node',
    'provisioner-crashloop': 'the line is of the controller pod, and the driver container in it restarts',
    'provisioner-driver-not-ready': 'the line is of the controller pod, and the driver container in it runs',
  }),
  alone(
    /Failed health check|\b(?:EC2|instance|cloud|node) ?meta-?data\b|metadata (?:service|source|server)\b|\b(?:ec2)?imds\b|instance data|dry-run EC2/i,
    {
      'driver-nodegetinfo-failed': 'the line is of the driver on a node, which cannot find out which machine it is on',
      'driver-daemonset-pod-unhealthy': 'the line is of the driver on a node, and its pod restarts',
      'provisioner-crashloop': 'the line is of the controller pod of the driver, which has no credentials and restarts',
    },
  ),
  alone(
    /\bXFS \([\w-]+\): |\bEXT4-fs(?: error)? \((?:device )?[\w-]+\)[^]*(?:bad|error|can't|corrupt|couldn't)|\brbd: rbd\d+: failed|failed to (?:acquire lock|blocklist)\b|\blibceph: |\bBTRFS error/,
    {
      'mount-stage-rpc': 'the kernel says it of a volume of a CSI driver that is being mounted',
      'mount-in-tree-failed': 'the kernel says it of a volume that the kubelet mounts itself',
      'volume-remounted-readonly': 'the volume was mounted before, and a program can no longer write to it',
    },
  ),
  ...only('csidriver-object-missing', /csidrivers?(?:\.storage\.k8s\.io)? "[^"]+" not found/),
  ...only('health-node-failed', /are now on a failed node/),
  ...only('health-abnormal-event', /VolumeConditionAbnormal/),
  ...only('driver-liveness-restart', /Liveness probe failed[^]*(?:\bcsi\b|csi[-.:]|:980\d\/|CSI driver)/i),
  shared(/CSINode is not yet initialized/, {
    'csinode-missing': 'the node has no CSINode object',
    'node-not-ready': 'it has one, and the kubelet has just started',
  }),
  ...only('mount-fsck-failed', /UNEXPECTED INCONSISTENCY/),
  ...only('local-static-not-discovered', /is not an? (?:actual |valid )?mount ?point/),
  alone(
    anyOf(
      wrongFileSystemTexts,
      unknownTypeText,
      unknownFeatureTexts,
      mountHelperMissingTexts,
      staleHandleText,
      fuseProcessGoneText,
    ),
    {
      'mount-stage-rpc': 'a CSI driver mounts the volume',
      'mount-in-tree-failed': 'the kubelet mounts the volume itself',
      'nfs-mount-failed': 'the volume is an NFS share that the pod or the volume names itself',
    },
  ),
  ...only('detach-out-of-service-left', /node\.kubernetes\.io\/out-of-service/),
  symptom(/\bNodeNotReady\b|Kubelet stopped posting node status|container runtime network not ready/, {
    'node-not-ready': 'a pod on that node waits for its volumes',
  }),
  ...only('pod-terminating-unmount-stuck', /\bUn[Mm]ountVolume\.TearDown failed|UnmountDevice failed/),
  symptom(/orphaned pod "[^"]+" found/, {
    'pod-terminating-unmount-stuck': 'the pod is Terminating, and the node cannot unmount its volume',
  }),
];
