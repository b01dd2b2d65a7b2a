import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { note, shellWord } from '../../facts/evidence.ts';
import { isForNode } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { controllerErrorOf } from './controller-error.ts';
import type { ControllerError } from './controller-error.ts';
import { driverWords, growthEvidence, resizerRetries, volumeWords } from './expansion.ts';
import { inUseWords, speaksOfUse, unusedWords } from '../lib/driver-error/in-use-words.ts';
import { stopAndStart } from './pod-restart.ts';

/** Twice the resizer's longest retry interval of five minutes. */
const retrySeconds = 600;

/**
 * CSI ControllerExpandVolume: FAILED_PRECONDITION for a volume in use, from a driver that expands detached volumes only
 * (external-resizer inUseError).
 */
export const resizeOfflineOnly = claimRule({
  cause: 'resize-offline-only',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const error = refusalInUse(c);
    if (!error) return undefined;
    const [pod] = c.consumers.items;
    return !pod && c.consumers.complete && error.isKept ? explainReleased(c, error) : explainInUse(c, error, pod);
  },
});

/** The pods are gone, and the resizer has not retried yet. */
function explainReleased(c: PresentClaim, error: ControllerError): Explanation {
  return {
    severity: 'info',
    confidence: 'likely',
    summary:
      `${driverWords(c)} grows only volumes that no pod uses. No pod uses pvc/${c.name} any more, so the ` +
      `next try should succeed. ${resizerRetries}`,
    evidence: evidenceOf(c, error),
    fix: [steps('Wait until the volume has grown before you start the pods again.', [waitCommand(c)])],
  };
}

function explainInUse(c: PresentClaim, error: ControllerError, pod: Pod | undefined): Explanation {
  const isStated = error.code === 'FailedPrecondition';
  return {
    confidence: error.isKept && pod && isStated ? 'certain' : 'likely',
    summary: sentence(
      `${driverWords(c)} does not grow ${volumeWords(c)} to ${c.request ?? 'the new size'} while ` +
        `${pod ? `${podsWords(c)} it` : 'it is in use'}: ${quoteWords(error.words, tellingPart(error.words))}`,
    ),
    evidence: evidenceOf(c, error),
    fix: [pauseFix(c)],
  };
}

function tellingPart(words: string): string | undefined {
  return (unusedWords.exec(words) ?? inUseWords.exec(words))?.[0];
}

function podsWords({ consumers: { items } }: PresentClaim): string {
  const names = items.map(({ metadata }) => `pod/${metadata.name}`);
  if (names.length === 1) return `${names[0] ?? ''} uses`;
  return `${names.slice(0, 2).join(', ')}${names.length > 2 ? ` and ${names.length - 2} more` : ''} use`;
}

function evidenceOf(c: PresentClaim, error: ControllerError): EvidenceList {
  return [
    ...growthEvidence(c),
    error.evidence,
    ...c.consumers.items
      .slice(0, 3)
      .map((pod) => note(pod, `uses the claim on ${pod.spec?.nodeName ?? 'no node yet'}`)),
  ];
}

/**
 * A volume with a file system shows its new size on the claim only after it is mounted again, so the volume is waited
 * for.
 */
function waitCommand(c: PresentClaim): string {
  return (
    `kubectl wait pv/${shellWord(c.volumeName)} ` +
    `--for=jsonpath='{.spec.capacity.storage}'=${shellWord(c.request ?? 'PLACEHOLDER_SIZE')} --timeout=10m`
  );
}

/**
 * The resizer retries once no pod uses the claim, with the delay it has reached (external-resizer, retry-interval-max).
 */
function pauseFix(c: PresentClaim): Fix {
  const { stop, start, words } = stopAndStart(c);
  return steps(
    'Stop the pods that use the claim, wait until the volume has grown (at most 5 minutes until the next ' +
      `try), and start them again.${words === '' || c.consumers.items.length === 0 ? '' : ` ${words}`} A ` +
      'driver that rounds sizes up ends the wait with a timeout: compare the size of the volume then.',
    [...stop, waitCommand(c), ...start],
    'disruptive',
  );
}

/** The driver wants the volume unused, and a pod uses it or did so a moment ago. */
export function refusalInUse(c: PresentClaim): ControllerError | undefined {
  if (isForNode(c.claim)) return undefined;
  const error = controllerErrorOf(c);
  if (!error || !speaksOfUse(error)) return undefined;
  const isLate = error.time === 0 || (c.now - error.time) / 1000 > retrySeconds;
  return c.consumers.items.length === 0 && c.consumers.complete && isLate ? undefined : error;
}
