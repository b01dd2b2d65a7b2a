import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { lastSeen, messageOf, newestMatch } from '../../graph/events.ts';
import { parseTime } from '../../kube/time.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { changePod } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { appliesFsGroup } from './fs-group.ts';
import { mountFailuresOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf, podWords, volumeWords } from './told-volume.ts';
import {
  ownershipProgressText,
  unmountedVolumesText,
  waitedForVolumesTexts,
} from '../lib/driver-error/sentences/kubelet.ts';

const onRootMismatch = 'OnRootMismatch';
const freshMs = 15 * 60_000;
const silentSeconds = 600;

/**
 * The kubelet changes the group of every file of a volume, one by one, before the pod may start
 * (pkg/volume/volume_linux.go).
 */
export const mountFsgroupSlow = podRule({
  cause: 'mount-fsgroup-slow',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    if (hasMountedVolumes(p.pod) || !p.isScheduled) return undefined;
    return explainProgress(p) ?? explainSilence(p);
  },
});

/** From 1.33 on the kubelet reports its progress in events. */
function explainProgress(p: PodCase): Explanation | undefined {
  const progress = newestMatch(p.events.items, 'VolumePermissionChangeInProgress', ownershipProgressText);
  if (!progress) return undefined;
  const processed = progress.match[2];
  const isAlive = p.now - lastSeen(progress.event) < freshMs;
  return {
    confidence: 'likely',
    severity: isAlive ? 'info' : 'blocking',
    summary:
      `The kubelet is changing the group of every file on a volume of ${podWords(p)} to its ` +
      `fsGroup${processed === undefined ? '' : ` (${processed} files so far)`}. ` +
      'The pod starts when it has finished.',
    evidence: [eventSaid(p.pod, progress.event), ...groupEvidence(p)],
    fix: adviceFor(p),
  };
}

/**
 * Before 1.33 the kubelet writes its progress to its log only, and an event every two minutes that the mount takes
 * long. Then only the lack of any other reason points to fsGroup.
 */
function explainSilence(p: PodCase): Explanation | undefined {
  const complaints = mountFailuresOf(p);
  if (!changesEveryFile(p) || !p.events.complete || !complaints.every(isOnlyTimeout) || !waitsLong(p)) return undefined;
  const use = findChangedVolume(p, complaints);
  if (!use || !isBeforeProgressEvents(p)) return undefined;
  return {
    confidence: 'possible',
    severity: 'blocking',
    summary:
      `${podWords(p)} waits for ${volumeWords(use)}, which is attached, and ` +
      `${complaints.length > 0 ? 'the kubelet only reports that it takes too long' : 'no error is reported'}. ` +
      'The kubelet may be changing the group of every file to fsGroup ' +
      `${p.pod.spec?.securityContext?.fsGroup ?? ''}, which is slow on a large volume.`,
    evidence: [
      ...groupEvidence(p),
      ...complaints.slice(0, 1).map(({ event }) => eventSaid(p.pod, event)),
      ...(use.volumeObject ? [field(use.volumeObject, 'spec.capacity.storage')] : []),
    ],
    fix: adviceFor(p),
  };
}

function changesEveryFile({ pod }: PodCase): boolean {
  const context = pod.spec?.securityContext;
  return context?.fsGroup !== undefined && context.fsGroupChangePolicy !== onRootMismatch;
}

function waitsLong(p: PodCase): boolean {
  const scheduled = parseTime(p.scheduledCondition?.lastTransitionTime ?? p.pod.metadata.creationTimestamp);
  return scheduled !== undefined && (p.now - scheduled) / 1000 >= silentSeconds;
}

/** An attached volume whose files the kubelet changes, if it explains the whole wait. */
function findChangedVolume(p: PodCase, complaints: readonly MountFailure[]): VolumeUse | undefined {
  const changed = volumeUsesOf(p).filter((use) => appliesFsGroup(p, use) === true && isAttached(use));
  // A volume that fsGroup does not apply to is slow for another reason.
  const unmounted = complaints.flatMap(unmountedVolumes);
  if (unmounted.some((name) => !changed.some((use) => use.name === name))) return undefined;
  return changed.find(({ name }) => unmounted.length === 0 || unmounted.includes(name));
}

function isAttached(use: VolumeUse): boolean {
  if (use.needsAttach === false) return true;
  const { attachment } = use;
  return attachment?.state === 'found' && attachment.object.status?.attached === true;
}

function isBeforeProgressEvents(p: PodCase): boolean {
  const node = p.ask.get('Node', undefined, nodeOf(p), `which version the kubelet on ${nodeOf(p)} has`);
  const version = node.state === 'found' ? parseServerVersion(node.object.status?.nodeInfo?.kubeletVersion) : undefined;
  return atLeast(version, 1, 33) === false;
}

/**
 * The event about the pod as a whole (pkg/kubelet/volumemanager WaitForAttachAndMount): a symptom that gives no reason.
 */
function isOnlyTimeout({ kind, operation, volume, text }: MountFailure): boolean {
  return kind === 'general' && operation === undefined && volume === undefined && waitedForVolumesTexts.test(text);
}

/** The volumes that the event lists as not mounted yet, by their names in the pod. */
function unmountedVolumes({ event }: MountFailure): string[] {
  return (unmountedVolumesText.exec(messageOf(event))?.[1] ?? '').split(/[\s,]+/).filter(Boolean);
}

function groupEvidence({ pod }: PodCase): readonly [Evidence, ...Evidence[]] {
  return [field(pod, 'spec.securityContext.fsGroup'), field(pod, 'spec.securityContext.fsGroupChangePolicy')];
}

function adviceFor({ pod }: PodCase): Fix[] {
  const change = changePod(pod, { securityContext: { fsGroupChangePolicy: onRootMismatch } });
  return [
    steps(
      'Wait until it has finished: deleting the pod now starts the walk over. ' +
        `Then set fsGroupChangePolicy: ${onRootMismatch} ${change.where}. ` +
        `Later starts only check the top directory.${change.note}`,
      [kubectl('wait', pod, '--for=condition=ContainersReady --timeout=4h'), ...change.commands],
      'disruptive',
    ),
  ];
}
