/** One log of one container; `previous` is that of the instance before its last restart. */
export interface LogName {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous?: true;
}

/** A log that a diagnosis would read next. */
export interface LogNeed extends LogName {
  /** Older lines are not needed, RFC 3339. Absent: the last lines, whatever their age. */
  readonly since?: string;
  /** What the log would show, in words. */
  readonly needed: string;
}

/**
 * What was read of one log, and how that ended; part of a snapshot.
 * complete: the lines since then are all there, but for `isCut`. denied: 403. missing: the pod, the container or the
 * earlier instance is gone. failed: any other error.
 */
export interface ContainerLog extends LogName {
  readonly state: 'complete' | 'denied' | 'missing' | 'failed';
  /** The server's message, for denied and failed. */
  readonly message?: string;
  /** Oldest first. Each line begins with the time at which it was written, if the source has it. */
  readonly lines: readonly string[];
  readonly since?: string;
  /** Older or newer lines were left out, because there were too many. */
  readonly isCut?: true;
}

export function logKey({ namespace, pod, container, previous }: LogName): string {
  return `${namespace}/${pod}/${container}${previous === true ? '/previous' : ''}`;
}
