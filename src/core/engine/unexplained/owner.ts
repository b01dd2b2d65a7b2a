import { containerStatusesOf } from '../../facts/pod/pod-state.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { LogPlace } from '../../report/component-log.ts';
import type { Evidence, Fix } from '../../report/report.ts';

/** The component that has to take the next step. */
export interface StageOwner {
  /** `the attacher of csi.example.com`, to be put into a sentence. */
  readonly name: string;
  /** Reads its lease, its pod and its events: only for a stage that is stuck. */
  readonly examine: () => Examination;
  /** Where it writes its log; none where no pod of it is known. */
  readonly logs: () => readonly LogPlace[];
  /** Where else its log may be, in a full sentence, for when no pod of it is known. */
  readonly elsewhere?: string;
}

/** What a component has done so far, and how to find out why it does not continue. */
export interface Examination {
  /** Full sentences: what it has done and what not. */
  readonly progress: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/** Read on use: events are requested only if a stage is stuck. */
export type TraceSource = () => Trace;

/** What of the stage a component has left behind: its finalizer, its events, its errors. */
export interface Trace {
  readonly progress: readonly string[];
  readonly evidence: readonly Evidence[];
  /** Names by which a log line about the object can be found. */
  readonly names: readonly string[];
}

/** Only the log lines about the object; `-e` takes names that begin with a dash. */
export function grepFor(names: readonly string[], quote: (name: string) => string): string {
  const known = [...new Set(names.filter((name) => name !== ''))];
  return known.length === 0 ? '' : ` | grep -F ${known.map((name) => `-e ${quote(name)}`).join(' ')}`;
}

/** A container that has ended once keeps the log of its earlier instance: what it met may have ended it. */
export function earlierLog(pod: Pod, container: string): Pick<LogPlace, 'hasPrevious'> {
  const status = containerStatusesOf(pod).find(({ name }) => name === container);
  return status?.lastState?.terminated ? { hasPrevious: true } : {};
}
