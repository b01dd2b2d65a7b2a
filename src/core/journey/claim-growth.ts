import type { Claim, KubeEvent, Pod } from '../kube/kinds.ts';
import { compareQuantities } from '../kube/quantity.ts';
import { parseTime } from '../kube/time.ts';
import { lastSeen } from '../graph/events.ts';
import { conditionOf, hasMountedVolumes } from '../facts/pod/pod-state.ts';
import { open } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ClaimCase } from '../facts/claim/claim-case.ts';

/** A bound claim that requests more than its capacity, or whose last expansion has not finished. */
export function isExpanding(c: ClaimCase): boolean {
  const { claim } = c;
  if (!claim || !c.isBound || claim.metadata.deletionTimestamp !== undefined) return false;
  const capacity = claim.status?.capacity?.['storage'];
  // Without a capacity there is nothing to compare the request with.
  if (capacity === undefined) return false;
  return compareQuantities(c.request, capacity) > 0 || (resizeStateOf(claim) !== '' && !isLeftBehind(claim, capacity));
}

/**
 * With the final capacity in the claim, a growth for the node is over: the kubelet writes it last (node_expander,
 * MarkFSResizeFinished). The resizer can write its state again after that, and nobody removes it
 * (kubernetes/kubernetes#131402).
 */
function isLeftBehind(claim: Claim, capacity: string): boolean {
  const allocated = claim.status?.allocatedResources?.['storage'];
  return (
    resizeStateOf(claim) === 'NodeResizePending' &&
    (allocated === undefined || compareQuantities(allocated, capacity) <= 0) &&
    !hasCondition(claim, 'FileSystemResizePending') &&
    !hasCondition(claim, 'NodeResizeError')
  );
}

/**
 * How far the expansion has come, as the resizer and the kubelet record it since 1.28; older servers have conditions
 * only.
 */
export function resizeStateOf(claim: Claim): string {
  return claim.status?.allocatedResourceStatuses?.['storage'] ?? '';
}

export function hasCondition(claim: Claim, type: string): boolean {
  return conditionOf(claim.status?.conditions, type)?.status === 'True';
}

/** The storage has grown, and the rest is up to the kubelet. */
export function isForNode(claim: Claim): boolean {
  const state = resizeStateOf(claim);
  if (state !== '') return state.startsWith('NodeResize');
  return hasCondition(claim, 'FileSystemResizePending') || hasCondition(claim, 'NodeResizeError');
}

/** Pods that have the volume mounted, so that the kubelet can grow it. */
export function mountingPods(c: ClaimCase): readonly Pod[] {
  return c.consumers.items.filter(hasMountedVolumes);
}

/** The kubelet checks its volumes every few minutes at the latest. */
export const nodeGraceSeconds = 300;

export function assessExpand(c: ClaimCase): Assessment {
  const { claim } = c;
  const note = `grows from ${claim?.status?.capacity?.['storage'] ?? 'an unknown size'} to ${c.request ?? 'an unknown size'}`;
  if (claim && isForNode(claim))
    return open(
      `${note}: the storage has grown, its file system has not yet`,
      timeText(nodesTurnSince(c)),
      nodeGraceSeconds,
    );
  return open(note, timeText(growthSince(c)), 60);
}

/** Since when a kubelet could have done its part: the storage had grown, and a pod was running. */
export function nodesTurnSince(c: ClaimCase): number | undefined {
  const pending = parseTime(conditionOf(c.claim?.status?.conditions, 'FileSystemResizePending')?.lastTransitionTime);
  const started = mountingPods(c)
    .map((pod) => parseTime(pod.status?.startTime ?? pod.metadata.creationTimestamp))
    .filter((time) => time !== undefined);
  if (pending === undefined) return undefined;
  return started.length === 0 ? pending : Math.max(pending, Math.min(...started));
}

/**
 * When the larger size was requested, in milliseconds: from the managed fields, the events or the conditions, whichever
 * shows it.
 */
export function growthSince(c: ClaimCase): number | undefined {
  const { claim } = c;
  if (!claim) return undefined;
  const written = writtenAt(claim, ['f:spec', 'f:resources', 'f:requests']);
  const created = parseTime(claim.metadata.creationTimestamp);
  // A request as old as the claim itself is no expansion: the claim was bound to a smaller volume.
  if (written !== undefined && written !== created) return written;
  return (
    saidSince(c.events.items) ??
    earliestCondition(claim, ['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError'])
  );
}

/** The first event about this expansion, ignoring an earlier one that has finished. */
function saidSince(events: readonly KubeEvent[]): number | undefined {
  const ended = Math.max(
    0,
    ...events
      .filter(({ reason }) => reason === 'VolumeResizeSuccessful' || reason === 'FileSystemResizeSuccessful')
      .map(lastSeen),
  );
  const said = events
    .filter(({ reason }) => reason === 'ExternalExpanding' || reason === 'Resizing' || reason === 'VolumeResizeFailed')
    .filter((event) => lastSeen(event) > ended);
  const times = said.map((event) => Math.max(firstSeen(event), ended)).filter((time) => time > 0);
  return times.length === 0 ? undefined : Math.min(...times);
}

export function firstSeen(event: KubeEvent): number {
  const times = [
    event.firstTimestamp,
    event.deprecatedFirstTimestamp,
    event.eventTime,
    event.metadata.creationTimestamp,
  ].map(parseTime);
  return times.find((time) => time !== undefined) ?? lastSeen(event);
}

/** The latest write to the field, from the managed fields of the object. */
function writtenAt(claim: Claim, path: readonly string[]): number | undefined {
  const times = (claim.metadata.managedFields ?? [])
    .filter((entry) => !entry.subresource && holdsPath(entry.fieldsV1, path))
    .map((entry) => parseTime(entry.time))
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

function holdsPath(fields: unknown, path: readonly string[]): boolean {
  let value = fields;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    value = Reflect.get(value, step);
  }
  return true;
}

function earliestCondition(claim: Claim, types: readonly string[]): number | undefined {
  const times = types
    .map((type) => parseTime(conditionOf(claim.status?.conditions, type)?.lastTransitionTime))
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

function timeText(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString().replace('.000Z', 'Z');
}

/** A bound claim that requests another attributes class than it has. */
export function isModifying(c: ClaimCase): boolean {
  const { claim } = c;
  if (!claim || !c.isBound || claim.metadata.deletionTimestamp !== undefined) return false;
  const wanted = claim.spec?.volumeAttributesClassName ?? '';
  const state = claim.status?.modifyVolumeStatus?.status ?? '';
  // A request withdrawn before any change leaves the last state behind (external-resizer modify, rolledBack).
  if (wanted === '') return state === 'InProgress';
  return state !== '' || wanted !== (claim.status?.currentVolumeAttributesClassName ?? '');
}

export function assessModify(c: ClaimCase): Assessment {
  const { claim } = c;
  const wanted =
    claim?.spec?.volumeAttributesClassName || claim?.status?.modifyVolumeStatus?.targetVolumeAttributesClassName;
  return open(
    `changes to VolumeAttributesClass ${wanted === undefined ? 'none' : `"${wanted}"`}`,
    timeText(modifySince(c)),
    120,
  );
}

/** When the other class was requested, in milliseconds. */
export function modifySince(c: ClaimCase): number | undefined {
  const { claim } = c;
  if (!claim) return undefined;
  const written = writtenAt(claim, ['f:spec', 'f:volumeAttributesClassName']);
  if (written !== undefined && written !== parseTime(claim.metadata.creationTimestamp)) return written;
  // Times are whole seconds: another class that was requested right after the creation is as old as the claim.
  return earliestCondition(claim, ['ModifyingVolume', 'ModifyVolumeError']) ?? written;
}
