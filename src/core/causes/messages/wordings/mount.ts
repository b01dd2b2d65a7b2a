import { only, shared, symptom } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** What the kubelet, the registrar and the container runtime say besides FailedMount, which the parser of the rules reads. */
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
    /Setting volume ownership for \S+ ?,? ?(?:is taking longer|processed)|VolumePermissionChangeInProgress/,
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
  ...only(
    'mount-not-storage',
    /\bFailedCreatePodSandBox\b|Failed to create pod sandbox|\bImagePullBackOff\b|Back-off pulling image|\bErrImagePull\b/,
  ),
  shared(
    /context deadline exceeded[^]*CreateContainer|CreateContainer\w*[^]*context deadline exceeded|failed to reserve container name|\bname \S+ is reserved for/,
    {
      'container-create-volume-slow':
        'the pod has a volume with very many files, and the runtime relabels them or changes their owner',
    },
  ),
  ...only('csidriver-object-missing', /csidrivers?(?:\.storage\.k8s\.io)? "[^"]+" not found/),
  ...only('health-node-failed', /are now on a failed node/),
  ...only('health-abnormal-event', /VolumeConditionAbnormal/),
  ...only('driver-liveness-restart', /Liveness probe failed[^]*(?:csi|driver)/i),
  shared(/CSINode is not yet initialized/, {
    'csinode-missing': 'the node has no CSINode object',
    'node-not-ready': 'it has one, and the kubelet has just started',
  }),
  ...only('mount-fsck-failed', /UNEXPECTED INCONSISTENCY/),
  ...only('detach-out-of-service-left', /node\.kubernetes\.io\/out-of-service/),
  ...only('node-not-ready', /\bNodeNotReady\b|Kubelet stopped posting node status|container runtime network not ready/),
  symptom(
    /\bUnMountVolume\.TearDown failed|UnmountVolume\.TearDown failed|UnmountDevice failed|orphaned pod "[^"]+" found/,
    {
      'pod-terminating-unmount-stuck': 'the pod is Terminating, and the node cannot unmount its volume',
    },
  ),
];
