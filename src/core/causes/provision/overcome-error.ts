import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { statusOf } from '../../facts/pod/pod-health.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';

/** Retries come at most this far apart (sig-storage-lib, retry-interval-max), with some time for the call itself. */
const longestRetryMs = 5 * 60_000;
const callMs = 60_000;

/** What became different after an error was reported. */
export interface NewerState {
  /** Completes "and …": `StorageClass "fast" was created`. */
  readonly words: string;
  readonly evidence: Evidence;
}

/**
 * What replaced the reason of an error after it was last reported: a class that was created again, or a provisioner
 * that was started again. Undefined once a retry must have come and gone.
 */
export function newerStateOf(c: PresentClaim, reported: number): NewerState | undefined {
  return newerClass(c, reported) ?? newerProvisioner(c, reported);
}

function newerClass(c: PresentClaim, reported: number): NewerState | undefined {
  const storageClass = c.storageClassObject;
  const { name = '', creationTimestamp } = storageClass?.metadata ?? {};
  if (!storageClass || !isNewer(c, parseTime(creationTimestamp), reported)) return undefined;
  return {
    words: `StorageClass "${name}" was created again`,
    evidence: field(storageClass, 'metadata.creationTimestamp'),
  };
}

/** A new process calls for all waiting claims at once. */
function newerProvisioner(c: PresentClaim, reported: number): NewerState | undefined {
  const provisioner = externalProvisionerOf(c);
  const { leader, container } = provisioner ? controllerOf(c, provisioner) : {};
  const startedAt = leader && statusOf(leader, container)?.state?.running?.startedAt;
  const started = parseTime(startedAt);
  if (!leader || !isNewer(c, started, reported) || c.now - (started ?? 0) > callMs) return undefined;
  return {
    words: 'the provisioner was started again',
    evidence: field(leader, `status.containerStatuses[${container ?? ''}].state.running.startedAt`, startedAt),
  };
}

/** Later than the report, by more than clocks differ, and not so long ago that a retry must have failed again. */
export function isNewer(c: PresentClaim, time: number | undefined, reported: number): boolean {
  return time !== undefined && time > reported + 1000 && c.now - Math.max(time, reported) < longestRetryMs + callMs;
}

/** When the next attempt comes. */
export function retryText(c: PresentClaim, reported: number): string {
  const left = reported + longestRetryMs - c.now;
  const when = left > 0 ? `within ${ageText(c.now, c.now + left)}` : 'any moment now';
  return `The provisioner retries ${when}; restarting it retries at once.`;
}
