import { parseTime } from '../../kube/time.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { failureOfEvent } from '../lib/driver-error/kubelet-complaint.ts';
import type { FailureKind, KubeletComplaint } from '../lib/driver-error/kubelet-complaint.ts';
import { unmountedVolumesIn } from '../lib/driver-error/sentences/pod-volumes.ts';
import { toldVolume } from './told-volume.ts';

export type MountFailure = KubeletComplaint;

const remembered = new WeakMap<PodCase, readonly MountFailure[]>();

/**
 * What prevents each volume now, the latest first: one failure a volume. The kubelet tries again at the latest every
 * two minutes, so what it has not repeated for longer than that is over; of its alternating messages, a plain error
 * shows more than "timed out", and that more than "still at it".
 */
export function mountFailuresOf(p: PodCase): readonly MountFailure[] {
  let failures = remembered.get(p);
  if (!failures) {
    failures = p.pod.spec?.nodeName ? currentFailures(p, allFailuresOf(p)) : [];
    remembered.set(p, failures);
  }
  return failures;
}

/** All that was ever said, the oldest first. */
export function allFailuresOf(p: PodCase): MountFailure[] {
  return p.events.items
    .flatMap((event) => failureOfEvent(event) ?? [])
    .map((failure) => ofItsVolume(p, failure))
    .sort((a, b) => lastSeen(a.event) - lastSeen(b.event) || compareText(a.text, b.text));
}

/** A text may be cut before the words that show whose it is; that of a CSI volume is the driver's in any case. */
function ofItsVolume(p: PodCase, failure: MountFailure): MountFailure {
  const use = failure.kind === 'inTree' ? toldVolume(p, failure) : undefined;
  if (!use || !(use.isInline || use.volumeObject?.spec?.csi)) return failure;
  return { ...failure, kind: failure.operation === 'MountVolume.SetUp' ? 'publish' : 'stage' };
}

/** The latest failure of one of these kinds that still holds. */
export function failureOf(p: PodCase, ...wanted: readonly FailureKind[]): MountFailure | undefined {
  return mountFailuresOf(p).find(({ kind }) => wanted.includes(kind));
}

const windowMs = 6 * 60_000;
/** By then every volume of a new pod was tried. */
const settledSeconds = 60;
/** The less informative a complaint is, the heavier it is; all other kinds weigh nothing. */
const weights: Partial<Record<FailureKind, number>> = { general: 3, pending: 2, timeout: 1 };
const weight = (kind: FailureKind): number => weights[kind] ?? 0;

function currentFailures(p: PodCase, all: readonly MountFailure[]): MountFailure[] {
  const byVolume = new Map<string, MountFailure[]>();
  for (const failure of all) {
    const key = toldVolume(p, failure)?.name ?? failure.volume ?? `${failure.kind} ${failure.text}`;
    byVolume.set(key, [...(byVolume.get(key) ?? []), failure]);
  }
  const newest = Math.max(0, ...all.map(({ event }) => lastSeen(event)));
  return [...byVolume.values()]
    .flatMap((failures) => {
      const last = Math.max(...failures.map(({ event }) => lastSeen(event)));
      // Another volume that the kubelet has not complained of for long is mounted by now.
      if (newest - last > 3 * windowMs) return [];
      const recent = failures.filter(({ event }) => last - lastSeen(event) <= windowMs);
      return recent
        .sort(
          (a, b) =>
            weight(a.kind) - weight(b.kind) || lastSeen(b.event) - lastSeen(a.event) || compareText(a.text, b.text),
        )
        .slice(0, 1);
    })
    .sort(
      (a, b) => weight(a.kind) - weight(b.kind) || lastSeen(b.event) - lastSeen(a.event) || compareText(a.text, b.text),
    );
}

/** Since when the kubelet says so, in seconds before now. */
export function lastsSeconds(p: PodCase, { event }: MountFailure): number {
  const first = [
    event.firstTimestamp,
    event.deprecatedFirstTimestamp,
    event.eventTime,
    event.metadata.creationTimestamp,
  ]
    .map(parseTime)
    .find((time) => time !== undefined);
  return first === undefined ? 0 : Math.max(0, (p.now - first) / 1000);
}

/**
 * Whether the kubelet shows that this volume of the pod (by its name there) is not what it waits for: it mounts all
 * volumes at the same time, and reports each one that fails again and again.
 */
export function isMountedOrSilent(p: PodCase, volume: string): boolean {
  const current = mountFailuresOf(p);
  const about = (failure: MountFailure): string | undefined => toldVolume(p, failure)?.name ?? failure.volume;
  if (current.some((failure) => about(failure) === volume)) return false;
  const listed = allFailuresOf(p)
    .filter(({ event }) => p.now - lastSeen(event) <= windowMs)
    .flatMap(({ event }) => [unmountedVolumesIn(messageOf(event))].filter((names) => names !== undefined));
  const last = listed.at(-1);
  if (last !== undefined) return !last.includes(volume);
  return current.some(
    (failure) =>
      failure.operation !== undefined &&
      about(failure) !== undefined &&
      ((failure.event.count ?? 1) > 1 || lastsSeconds(p, failure) > settledSeconds),
  );
}
