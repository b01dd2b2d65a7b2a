import type { Pod } from '../../kube/kinds.ts';
import type { PodRow } from '../../report/rows.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import { containerStatusesOf, isReady } from '../../facts/pod/pod-state.ts';
import { targetOf } from '../../engine/stuck-objects.ts';
import {
  isBrokenDriver,
  lacksVolumeInUse,
  mayLackImageVolume,
  mayLackVolumes,
  waitsForVolumes,
} from '../../engine/stuck-pods.ts';
import { rowBase } from './row-base.ts';
import type { RowDesk } from './row-base.ts';

export function podRow({ ask, suspect }: RowDesk, pod: Pod): PodRow {
  const { spec, status, metadata } = pod;
  if (metadata.deletionTimestamp !== undefined || mayBeStuck(pod, ask.now)) suspect(targetOf(pod));
  return {
    ...rowBase(pod),
    status: statusOf(pod),
    phase: status?.phase ?? 'Unknown',
    ...(spec?.nodeName && { node: spec.nodeName }),
    claims: claimNamesOf(pod),
    inlineDrivers: inlineDriversOf(pod),
    isReady: isReady(pod),
  };
}

function mayBeStuck(pod: Pod, now: number): boolean {
  return (
    waitsForVolumes(pod) ||
    lacksVolumeInUse(pod, now) ||
    mayLackVolumes(pod) ||
    mayLackImageVolume(pod, now) ||
    isBrokenDriver(pod, now)
  );
}

/** A pod without such volumes is none of storage's business, and most pods have none. */
export function usesStorage(pod: Pod): boolean {
  return claimNamesOf(pod).length > 0 || inlineDriversOf(pod).length > 0;
}

function inlineDriversOf({ spec }: Pod): string[] {
  return [...new Set((spec?.volumes ?? []).flatMap(({ csi }) => csi?.driver ?? []))];
}

/** The reason that a container gives shows more than the phase (kubectl printPod). */
function statusOf(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const statuses = containerStatusesOf(pod);
  const waiting = statuses.find(({ state }) => state?.waiting?.reason)?.state?.waiting?.reason;
  return waiting ?? pod.status?.reason ?? pod.status?.phase ?? 'Unknown';
}
