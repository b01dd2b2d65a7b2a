import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { AnyObject } from '../../kube/kinds.ts';
import { mountingPods } from '../../journey/claim-growth.ts';
import type { LogSpeaker } from '../../report/component-log.ts';
import type { Verdict } from '../verdict.ts';

/** A call that the owner of a stage makes, and the event that reports its failure. */
export interface ExpectedCall {
  /** ControllerExpandVolume */
  readonly rpc: string;
  /** By what a log line shows that it is about this call's object. */
  readonly names: readonly string[];
  /** For lines that name no object, since the component logs them about itself. */
  readonly own?: OwnLines;
  /** Absent where no event reports the failure: then a line is quoted, and no rule judges it. */
  readonly report?: {
    readonly about: Identified;
    readonly reason: string;
    readonly component: string;
    /** The message that the component would put into the event. */
    readonly message: (error: string) => string;
  };
}

/** Which lines of which log. */
export interface OwnLines {
  readonly speaker?: LogSpeaker;
  readonly pod?: string;
  readonly container?: string;
  readonly isError: (text: string) => boolean;
  /** A later line after which the error is over. */
  readonly isOvercome?: (text: string) => boolean;
}

interface Identified {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}

/** The calls that the next step of a stuck stage consists of. */
export function expectedCalls({ journey, stage }: Verdict, ask: Inquiry): ExpectedCall[] {
  const { claim, pods, object } = journey;
  if (object) return callsForObject(object.object as AnyObject, stage === 'delete', ask);
  switch (stage) {
    case 'provision':
      return claim ? [createVolume(claim)] : [];
    case 'attach':
      return pods.slice(0, 1).flatMap((p) => volumeUsesOf(p).flatMap((use) => publishVolume(p, use)));
    case 'mount':
      return pods.slice(0, 1).flatMap((p) => volumeUsesOf(p).flatMap((use) => mountCalls(p, use)));
    case 'delete':
      return pods.slice(0, 1).flatMap((p) => volumeUsesOf(p).flatMap((use) => unmountCalls(p, use)));
    case 'expand':
      return claim ? [...expandVolume(claim), ...expandOnNode(claim)] : [];
    case 'modify':
      return claim ? modifyVolume(claim) : [];
    default:
      return [];
  }
}

/** Messages of sig-storage-lib-external-provisioner begin so, and name the class. */
const provisioningFailed = /failed to provision volume with StorageClass[^]*/;

function createVolume(c: ClaimCase): ExpectedCall {
  const { uid } = c.claim?.metadata ?? {};
  return {
    rpc: 'CreateVolume',
    // The volume is named after the uid, which nothing else has.
    names: [...(uid === undefined ? [] : [uid]), `${c.namespace}/${c.name}`],
    ...(c.claim && {
      report: {
        about: c.claim,
        reason: 'ProvisioningFailed',
        component: c.provisioner ?? '',
        message: (error) =>
          provisioningFailed.exec(error)?.[0] ??
          `failed to provision volume with StorageClass "${c.class.name}": ${error}`,
      },
    }),
  };
}

function publishVolume(p: PodCase, use: VolumeUse): ExpectedCall[] {
  const names = namesOf(use);
  const { volumeName } = use;
  if (volumeName === '') return [];
  return [
    {
      rpc: 'ControllerPublishVolume',
      names: use.attachment?.state === 'found' ? [...names, use.attachment.object.metadata.name] : names,
      report: {
        about: p.pod,
        reason: 'FailedAttachVolume',
        component: 'attachdetach-controller',
        message: (error) => `AttachVolume.Attach failed for volume "${volumeName}" : ${bare(error)}`,
      },
    },
  ];
}

function mountCalls(p: PodCase, use: VolumeUse): ExpectedCall[] {
  const isBlock = use.claim?.claim?.spec?.volumeMode === 'Block';
  const operations = isBlock
    ? { NodeStageVolume: 'MapVolume.SetUpDevice', NodePublishVolume: 'MapVolume.MapPodDevice' }
    : { NodeStageVolume: 'MountVolume.MountDevice', NodePublishVolume: 'MountVolume.SetUp' };
  return Object.entries(operations).map(([rpc, operation]) => ({
    rpc,
    names: namesOf(use),
    report: {
      about: p.pod,
      reason: isBlock ? 'FailedMapVolume' : 'FailedMount',
      component: 'kubelet',
      message: (error) => `${operation} failed for volume "${use.volumeName || use.name}" : ${bare(error)}`,
    },
  }));
}

/** The kubelet reports no event for these. */
function unmountCalls(p: PodCase, use: VolumeUse): ExpectedCall[] {
  return ['NodeUnpublishVolume', 'NodeUnstageVolume'].map((rpc) => ({
    rpc,
    names: namesOf(use),
    report: {
      about: p.pod,
      reason: 'FailedUnMount',
      component: 'kubelet',
      message: (error) => `UnmountVolume.TearDown failed for volume "${use.volumeName || use.name}" : ${bare(error)}`,
    },
  }));
}

/** The path of an inline volume holds the uid of its pod; its handle is a hash. */
function namesOf(use: VolumeUse): string[] {
  const { uid } = use.p.pod.metadata;
  if (use.isInline) return uid === undefined ? [] : [`${uid}/volumes/kubernetes.io~csi/${use.name}`];
  return [use.volumeName, use.handle ?? ''].filter((name) => name !== '');
}

function volumeNamesOf(c: ClaimCase): string[] {
  const volume = c.volume?.state === 'found' ? c.volume.object : undefined;
  const names = [c.volumeName, volume?.spec?.csi?.volumeHandle ?? '', `${c.namespace}/${c.name}`];
  return names.filter((name) => name !== '');
}

function expandVolume(c: ClaimCase): ExpectedCall[] {
  if (!c.claim) return [];
  const driver = driverOf(c);
  return [
    {
      rpc: 'ControllerExpandVolume',
      names: volumeNamesOf(c),
      report: {
        about: c.claim,
        reason: 'VolumeResizeFailed',
        component: `external-resizer ${driver}`,
        message: (error) =>
          /resize volume "[^]*/.exec(error)?.[0] ??
          `resize volume "${c.volumeName}" by resizer "${driver}" failed: ${bare(error)}`,
      },
    },
  ];
}

function expandOnNode(c: ClaimCase): ExpectedCall[] {
  return c.claim
    ? mountingPods(c)
        .slice(0, 1)
        .map((pod) => ({
          rpc: 'NodeExpandVolume',
          names: volumeNamesOf(c),
          report: {
            about: pod,
            reason: 'VolumeResizeFailed',
            component: 'kubelet',
            message: (error) =>
              `NodeExpandVolume.NodeExpandVolume failed for volume "${c.volumeName}" : ` +
              `Expander.NodeExpand failed to expand the volume : ${bare(error)}`,
          },
        }))
    : [];
}

function modifyVolume(c: ClaimCase): ExpectedCall[] {
  if (!c.claim) return [];
  return [
    {
      rpc: 'ControllerModifyVolume',
      names: volumeNamesOf(c),
      report: {
        about: c.claim,
        reason: 'VolumeModifyFailed',
        component: `external-resizer ${driverOf(c)}`,
        message: bare,
      },
    },
  ];
}

function driverOf(c: ClaimCase): string {
  return (c.volume?.state === 'found' ? c.volume.object.spec?.csi?.driver : undefined) ?? '';
}

function callsForObject(object: AnyObject, isDeleted: boolean, ask: Inquiry): ExpectedCall[] {
  switch (object.kind) {
    case 'PersistentVolume':
      return isDeleted
        ? [
            {
              rpc: 'DeleteVolume',
              names: [object.metadata.name, object.spec?.csi?.volumeHandle ?? ''],
              report: {
                about: object,
                reason: 'VolumeFailedDelete',
                component: object.spec?.csi?.driver ?? '',
                message: bare,
              },
            },
          ]
        : [];
    case 'VolumeAttachment':
      return [
        {
          rpc:
            isDeleted || object.metadata.deletionTimestamp !== undefined
              ? 'ControllerUnpublishVolume'
              : 'ControllerPublishVolume',
          names: [object.metadata.name, object.spec?.source?.persistentVolumeName ?? ''],
        },
      ];
    case 'VolumeSnapshot':
    case 'VolumeSnapshotContent': {
      const { content } = new SnapshotCase(ask, object);
      return content ? [snapshotCall(content, isDeleted)] : [];
    }
    default:
      return [];
  }
}

function snapshotCall(content: SnapshotContent, isDeleted: boolean): ExpectedCall {
  return {
    rpc: isDeleted ? 'DeleteSnapshot' : 'CreateSnapshot',
    // The snapshot in the backend is named after the uid of the VolumeSnapshot.
    names: [content.metadata.name, content.status?.snapshotHandle ?? '', content.spec?.volumeSnapshotRef?.uid ?? ''],
    report: {
      about: content,
      reason: isDeleted ? 'SnapshotDeleteError' : 'SnapshotCreationFailed',
      component: 'csi-snapshotter',
      message: (error) => `Failed to ${isDeleted ? 'delete' : 'create'} snapshot: ${bare(error)}`,
    },
  };
}

/** From where gRPC begins: what the sidecar put before it is its own. */
function bare(error: string): string {
  const rpc = /rpc error: code = [^]*/.exec(error)?.[0];
  if (rpc === undefined) return error;
  // A text that was quoted as a whole ends with the closing mark.
  return error.includes(`"${rpc}`) ? rpc.replace(/"+\s*$/, '') : rpc;
}
