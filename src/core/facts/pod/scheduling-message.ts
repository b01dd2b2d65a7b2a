/**
 * One reason out of the scheduler's sentence, with the number of nodes it rejected; a reason for all nodes has none.
 */
export interface SchedulingReason {
  readonly nodes: number | undefined;
  readonly text: string;
  readonly isStorage: boolean;
}

export interface SchedulingMessage {
  readonly raw: string;
  readonly nodesTotal: number | undefined;
  readonly reasons: readonly SchedulingReason[];
}

/** `VG free space`, `disk capacity`: what a pool can run out of. */
const poolWords = '(?:(?:free|available|local|disk|lvm|lv|vg|pool|storage) )*(?:space|storage|capacity)\\b';

/** What the volume plugins of kube-scheduler report, 1.22 to 1.37 and a little of older versions, by its meaning. */
export const storageTexts = {
  /** Up to 1.10 `PersistentVolumeClaim is not bound: "x"`, then without "immediate", which 1.13 added. */
  unboundImmediate: /unbound (?:immediate )?PersistentVolumeClaims|PersistentVolumeClaim is not bound/i,
  claimGone: /persistentvolumeclaim ".*" (not found|is being deleted|bound to non-existent)/i,
  /** From 1.25 on, PreFilter may exclude nodes before any filter runs; then only the plugin is named. */
  nodeAffinity:
    /volume node affinity conflict|match PersistentVolume's node affinity|didn't satisfy plugin(?:\(s\))? .*VolumeBinding/i,
  nothingToBind: /find available persistent volumes to bind/i,
  freeStorage: /did not have enough free storage/i,
  /**
   * The same in the words of schedulers and extenders of storage systems, or as a resource of its own. The node's own
   * `ephemeral-storage` is something else.
   */
  poolSpace: new RegExp(
    `(?:out of|\\bnot? enough|insufficient) ${poolWords}|insufficient ` +
      `(?!\\S*ephemeral)(?:[\\w.-]+/[\\w.-]*storage(?![\\w.-])|[\\w.-]*(?:lvm|storage|disk|volume)[\\w.-]*/[\\w.-]*capacity\\b)`,
    'i',
  ),
  zone: /no available volume zone/i,
  volumeCount: /exceed max volume count/i,
  oncePod: /ReadWriteOncePod/i,
  disk: /no available disk/i,
  driverMissing: /CSI driver is not installed/i,
  volumeGone: /non-existent pv/i,
  bindTimeout: /binding volumes: (?:context deadline exceeded|timed out waiting for the condition)/i,
  provisionFailed: /provisioning failed for PVC|selectedNode annotation (?:reset|value)/i,
  claimRefReset: /ClaimRef got reset for pv/i,
  wrongTopology: /pv ".*" node affinity doesn't match/i,
  ephemeral: /waiting for ephemeral volume controller|was not created for pod/i,
  other: /binding volumes:|VolumeBinding|error getting PVC|failed to get (PV|PVC|storage class)/i,
} as const;

/** Refusals that have nothing to do with volumes, in the words of kube-scheduler. */
const otherTexts =
  /Insufficient |\btaint|were unschedulable|node affinity|node selector|free ports|topology spread|anti-?affinity|affinity rules|Too many pods|cannot allocate|no nodes available to schedule|not eligible due to preemption/i;

/** `untolerated taint {key: value}`, and up to 1.21 `taint {key: value}, that the pod didn't tolerate`. */
const taintWords = /taint(?:\(s\))? \{([^}:]+):? ?([^}]*)\}/;

/** The taint that a reason names; its effect is not part of the words. */
export function taintIn(text: string): { readonly key: string; readonly value: string } | undefined {
  const match = taintWords.exec(text);
  return match ? { key: (match[1] ?? '').trim(), value: (match[2] ?? '').trim() } : undefined;
}

const allStorageTexts = Object.values(storageTexts);

export function isStorageReason(text: string): boolean {
  return allStorageTexts.some((pattern) => pattern.test(text));
}

/** Another scheduler may use words of its own, from which nothing can be concluded. */
export function isUnderstood(message: SchedulingMessage): boolean {
  return message.reasons.some((reason) => reason.isStorage || otherTexts.test(reason.text));
}

/** The same of all reasons: next to one in words of its own, nothing can be ruled out. */
export function isWhollyUnderstood(message: SchedulingMessage): boolean {
  return (
    message.reasons.length > 0 && message.reasons.every((reason) => reason.isStorage || otherTexts.test(reason.text))
  );
}

export function reasonsLike(message: SchedulingMessage | undefined, pattern: RegExp): SchedulingReason[] {
  return (message?.reasons ?? []).filter((reason) => pattern.test(reason.text));
}

/**
 * Parses `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had …. preemption: …` (FitError in the scheduler's
 * framework). What the PostFilter plugins add after the full stop repeats or softens the reasons and is left out. A
 * message of a plugin that rejects the pod before any node is checked has no counts.
 */
export function parseSchedulingMessage(raw: string): SchedulingMessage {
  const total = /^(\d+)\/(\d+) nodes are available:?\s*/.exec(raw);
  const body = total ? withoutPostFilter(raw.slice(total[0].length)) : raw.trim();
  return {
    raw,
    nodesTotal: total ? Number(total[2]) : undefined,
    reasons: reasonsIn(body).map((reason) => ({ ...reason, isStorage: isStorageReason(reason.text) })),
  };
}

function reasonsIn(body: string): Omit<SchedulingReason, 'isStorage'>[] {
  const counted = [...body.matchAll(/(?:^|,\s+)(\d+) (.+?)(?=,\s+\d+ |\.?\s*$)/gs)];
  if (counted.length > 0)
    return counted.map((match) => ({ nodes: Number(match[1]), text: trimReason(match[2] ?? '') }));
  return body === '' ? [] : [{ nodes: undefined, text: trimReason(body) }];
}

function withoutPostFilter(text: string): string {
  return (text.split(/\.\s+|\.?\s*preemption:/i, 1)[0] ?? '').trim();
}

function trimReason(text: string): string {
  return text.trim().replace(/\.$/, '');
}
