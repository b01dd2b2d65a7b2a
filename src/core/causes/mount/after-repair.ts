import type { PodCase } from '../../facts/pod/pod-case.ts';
import { lastSeen } from '../../graph/events.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field, note } from '../../facts/evidence.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { pluginOn } from './plugin-fixes.ts';
import { driverStatusOf } from '../../facts/driver/plugin-health.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf } from './told-volume.ts';

/** After the longest pause between two tries of the kubelet, and the try itself, an old error counts again. */
const retrySeconds = 240;

interface Dated {
  readonly metadata: {
    readonly creationTimestamp?: string;
    readonly managedFields?: readonly { readonly time?: string }[];
  };
}

/** When the object was last written, as far as it shows. */
export function writtenAt({ metadata }: Dated): number | undefined {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)];
  return times.reduce<number | undefined>((latest, text) => later(latest, parseTime(text)), undefined);
}

export function later(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}

/** What was wrong is over since this time, and the kubelet may not have tried again. */
export function isHistory(
  p: PodCase,
  { event }: Pick<MountFailure, 'event'>,
  since: number | undefined,
): since is number {
  return since !== undefined && since > lastSeen(event) && (p.now - since) / 1000 < retrySeconds;
}

/** When the driver's container on the pod's node started, if it runs. */
export function driverStartedAt(p: PodCase, driver: string | undefined): number | undefined {
  const plugin = pluginOn(p.ask, driver, nodeOf(p));
  return plugin && parseTime(driverStatusOf(plugin)?.state?.running?.startedAt);
}

/** Evidence that the driver runs again. */
export function runsAgain(p: PodCase, driver: string | undefined, since: number): Evidence[] {
  const plugin = pluginOn(p.ask, driver, nodeOf(p));
  return plugin ? [note(plugin, `its driver container has run for ${ageText(since, p.now)}`)] : [];
}

/** The state that replaced an error: the pod waits for the kubelet's next try. `fact` is a sentence. */
export function explainOver(p: PodCase, fact: string, evidence: Explanation['evidence']): Explanation {
  return {
    severity: 'info',
    confidence: 'likely',
    summary: `${fact} The error before that is history: the kubelet on ${nodeOf(p)} retries within about 2 minutes.`,
    evidence,
    fix: [hurryFix(p)],
  };
}

export function hurryFix({ pod }: PodCase): Fix {
  return steps('Wait for the next try. To try at once, recreate the pod.', restartPodCommands(pod));
}

/** The object that replaced the error, with its age. */
export function createdEvidence(object: Parameters<typeof field>[0] & Dated): Evidence {
  return field(object, 'metadata.creationTimestamp', object.metadata.creationTimestamp);
}
