import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { parseTime } from '../../kube/time.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { AttachError } from './attach-error.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/**
 * The attacher retries a failed attach after five minutes at the latest (--retry-interval-max), and the attach-detach
 * controller after two; one more minute for the attach itself.
 */
const retrySeconds = 360;

/** When the attach is tried again, and how to hurry that. */
export function retryText({ use }: Pick<AttachTrouble, 'use'>): string {
  return `The attach is retried within about 5 minutes${hurryText(use?.p.pod)}.`;
}

function hurryText(pod: Pod | undefined): string {
  const owner = pod && ownerOf(pod);
  if (!pod || !owner) return '';
  return `; deleting pod/${pod.metadata.name}, which ${owner.kind.toLowerCase()}/${owner.name} recreates, hurries it`;
}

/** What the error complains of is over since this time, and the next try may still be to come. */
export function isHistory(
  { ask: { now } }: Pick<AttachTrouble, 'ask'>,
  { evidence }: AttachError,
  since: number | undefined,
): since is number {
  const said = parseTime(evidence.at);
  return said !== undefined && since !== undefined && since > said && (now - since) / 1000 < retrySeconds;
}

/** Where it cannot be known since when the reason is gone, it counts as history until a retry must have come. */
export function isRecent({ ask: { now } }: Pick<AttachTrouble, 'ask'>, { evidence }: AttachError): boolean {
  const said = parseTime(evidence.at);
  return said !== undefined && (now - said) / 1000 < retrySeconds;
}

/** The state that replaced an error: nothing is left to repair. `fact` is a sentence. */
export function explainOver(trouble: AttachTrouble, fact: string, evidence: Explanation['evidence']): Explanation {
  return {
    severity: 'info',
    confidence: 'likely',
    summary: `${fact} The error before that is history: the attach is retried within about 5 minutes.`,
    evidence,
    fix: [hurryFix(trouble.use?.p.pod)],
  };
}

function hurryFix(pod: Pod | undefined): Fix {
  if (!pod) return steps('Wait for the next try. To try at once, recreate the pod that needs the volume.', []);
  return steps('Wait for the next try. To try at once, recreate the pod.', restartPodCommands(pod));
}
