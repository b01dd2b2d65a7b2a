import type { Attachment } from '../kube/kinds.ts';
import { parseTime } from '../kube/time.ts';
import { lastSeen, messageOf } from '../graph/events.ts';
import { notApplicable, open, passed, unknown, unreached } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { PodCase } from '../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../facts/pod/pod-state.ts';
import { inTreeIdentity } from '../facts/volume/migrated-volume.ts';
import { attachmentsOf, volumeUsesOf } from '../facts/volume/volume-use.ts';
import type { VolumeUse } from '../facts/volume/volume-use.ts';

const attachSeconds = 135;

/** The kubelet fails a pod whose volume finds no free slot on the node (volume_manager.go, since 1.35). */
export const limitExceeded = 'VolumeAttachmentLimitExceeded';

/** Each volume that must be attached is attached to the pod's node. */
export function assessPodAttach(p: PodCase): Assessment {
  const node = p.pod.spec?.nodeName;
  if (!node) return unreached('not scheduled');
  const since = waitsSince(p);
  if (p.pod.status?.phase === 'Failed')
    return p.pod.status.reason === limitExceeded
      ? open(`${node} had no free slot for a volume`, since, 0)
      : notApplicable('the pod has ended');
  // Whether the driver attaches at all is not read for a pod that has its volumes.
  if (hasMountedVolumes(p.pod)) return passed('the volumes are mounted');
  const states = volumeUsesOf(p).map((use) => attachState(use));
  const pending = states.find((state) => state.state === 'open');
  if (pending) return open(pending.note, since, attachSeconds);
  const hidden = states.find((state) => state.state === 'unknown');
  if (hidden) return unknown(hidden.note, since);
  const done = states.filter((state) => state.state === 'passed').map(({ note }) => note);
  const attached = `attached to ${node}`;
  if (done.length > 0) return passed(done.find((note) => note !== attached) ?? attached);
  const unread = p.claims.find(({ lookup }) => lookup.state === 'unknown');
  return unread ? unknown(`pvc/${unread.name} could not be read`, since) : notApplicable('nothing to attach');
}

/** Since when the pod has a node, and so waits for its volumes. */
export function waitsSince(p: PodCase): string | undefined {
  return p.scheduledCondition?.lastTransitionTime ?? p.pod.metadata.creationTimestamp;
}

/** The volumes of the pod that are not known to be attached to its node. */
export function pendingUses(p: PodCase): readonly VolumeUse[] {
  if (!p.isScheduled || hasMountedVolumes(p.pod) || p.pod.status?.phase === 'Failed') return [];
  return volumeUsesOf(p).filter((use) => ['open', 'unknown'].includes(attachState(use).state));
}

function attachState(use: VolumeUse): Assessment {
  const { node, volumeName, needsAttach } = use;
  if (needsAttach === false)
    return notApplicable(use.driver === undefined ? 'not a CSI volume' : `${use.driver} needs no attachment`);
  const { attachment } = use;
  if (attachment === undefined && isListedInTree(use)) return passed(`attached to ${node}`);
  if (attachment === undefined)
    return unknown(
      `whether pv/${volumeName} is attached to ${node} cannot be seen: an in-tree plugin attaches it without a VolumeAttachment`,
    );
  if (attachment.state === 'found') return stateOfAttachment(use, attachment.object);
  if ((attachment.state !== 'missing' || needsAttach !== true) && isMountTried(use))
    return passed(`the kubelet of ${node} is past it: it has the driver mount the volume`);
  if (use.volume?.state === 'unknown') return unknown(`pv/${volumeName} could not be read`);
  if (attachment.state !== 'missing') return unknown(unseenText(use));
  return needsAttach
    ? open(`pv/${volumeName} is not attached to ${node} yet`, undefined, attachSeconds)
    : unknown(`whether ${use.driver ?? 'the driver'} attaches its volumes could not be read`);
}

const mountTriedMs = 10 * 60_000;

/**
 * The kubelet waits for the attachment before it calls the driver (operation_generator.go GenerateMountVolumeFunc), so
 * the driver's own answer shows that the volume is attached or need not be.
 */
function isMountTried({ p, volumeName }: VolumeUse): boolean {
  return p.events.items.some((event) => {
    const [, volume] = driverAnsweredText.exec(messageOf(event)) ?? [];
    return event.reason === 'FailedMount' && volume === volumeName && p.now - lastSeen(event) <= mountTriedMs;
  });
}

const driverAnsweredText = /^MountVolume\.(?:MountDevice|SetUp) failed for volume "([^"]+)" ?: rpc error: code = /;

/** The controller lists what an in-tree plugin has attached in the status of the node; that it does not proves nothing. */
function isListedInTree({ ask, node, volumeObject }: VolumeUse): boolean {
  const identity = volumeObject && inTreeIdentity(volumeObject);
  if (!identity) return false;
  const attached = ask.graph.find('Node', undefined, node)?.status?.volumesAttached ?? [];
  return attached.some(({ name }) => name === `${identity.plugin.provisioner}/${identity.value}`);
}

/** A dump with the attachment to another node is not silent about the volume. */
function unseenText({ ask, node, volumeName, isExclusive }: VolumeUse): string {
  const other = attachmentsOf(ask, volumeName).find(({ status }) => status?.attached === true)?.spec?.nodeName;
  return isExclusive && other !== undefined
    ? `pv/${volumeName} is attached to ${other}; no attachment to ${node} was read`
    : `whether pv/${volumeName} is attached to ${node} could not be read`;
}

function stateOfAttachment(use: VolumeUse, attachment: Attachment): Assessment {
  const { node, volumeName } = use;
  if (attachment.metadata.deletionTimestamp !== undefined)
    return open(`pv/${volumeName} is being detached from ${node}`, undefined, attachSeconds);
  if (attachment.status?.attached !== true)
    return open(`pv/${volumeName} is not attached to ${node} yet`, undefined, attachSeconds);
  return isUnlisted(use, attachment)
    ? open(`pv/${volumeName} is attached, but the status of ${node} does not list it`, undefined, attachSeconds)
    : passed(`attached to ${node}`);
}

/** Time for the controller to update the node. */
const statusSeconds = 60;

/**
 * The kubelet waits until the controller lists the volume in the node's status
 * (GenerateVerifyControllerAttachedVolumeFunc). A missing entry counts only where the status is maintained at all: the
 * kubelet lists the volume as in use, or other volumes are listed.
 */
export function isUnlisted(use: VolumeUse, attachment: Attachment): boolean {
  const { uniqueName, node, ask } = use;
  const attached = attachedSince(attachment);
  if (uniqueName === undefined || attached === undefined || (ask.now - attached) / 1000 < statusSeconds) return false;
  const lookup = ask.get('Node', undefined, node, `whether ${node} knows which volumes are attached to it`);
  if (lookup.state !== 'found') return false;
  const { volumesAttached = [], volumesInUse = [] } = lookup.object.status ?? {};
  if (volumesAttached.some(({ name }) => name === uniqueName)) return false;
  return volumesAttached.length > 0 || volumesInUse.includes(uniqueName);
}

/** The latest time at which it can have become attached: the last write to its status, or its creation. */
function attachedSince({ metadata }: Attachment): number | undefined {
  const writes = (metadata.managedFields ?? [])
    .filter(({ subresource }) => subresource === 'status')
    .map(({ time }) => parseTime(time));
  const times = [parseTime(metadata.creationTimestamp), ...writes].filter((time) => time !== undefined);
  return times.length > 0 ? Math.max(...times) : undefined;
}
