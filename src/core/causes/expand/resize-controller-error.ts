import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isForNode } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { controllerErrorOf, elseLowerRequest, growthEvidence, resizerOf } from './expansion.ts';
import type { ControllerError } from './expansion.ts';
import { refusalInUse, speaksOfUse } from './resize-offline-only.ts';
import { mayPass } from '../lib/driver-error/grpc-codes.ts';
import { quote } from '../lib/driver-error/quote.ts';

const ratePattern = /VolumeModificationRateExceeded|maximum modification rate|wait at least \d+ hours/i;
const snapshotPattern = /\b(?:has|have|with|existing|delete)\b(?: \w+){0,2} snapshots?\b/i;

/** external-resizer markControllerExpansionFailedCondition; before 1.31, and for in-tree plugins, only an event reports it. */
export const resizeControllerError = claimRule({
  cause: 'resize-controller-error',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const error = findError(c);
    if (!error) return undefined;
    const { driver } = resizerOf(c);
    return {
      confidence: error.isKept ? 'certain' : 'likely',
      summary: `${driver ?? 'the storage plugin'} could not grow the volume to ${c.request ?? 'the new size'}: ${reasonText(error)}`,
      evidence: [...growthEvidence(c), error.evidence],
      fix: adviceFor(c, error),
    };
  },
});

function findError(c: PresentClaim): ControllerError | undefined {
  if (isForNode(c.claim)) return undefined;
  const error = controllerErrorOf(c);
  // After a code that may pass, the call may still be running in the backend, unless a condition calls it final.
  if (!error || (!error.isKept && mayPass(error.code)) || refusalInUse(c)) return undefined;
  return error;
}

/** What the driver's words mean, and what to do about it, where they are well known. */
interface Sense {
  readonly meaning: string;
  readonly advice?: string | undefined;
}

const snapshots: Sense = {
  meaning: 'the volume has snapshots, and the storage does not grow such a volume',
  advice: 'delete the snapshots of the volume that nobody needs, in the cluster and in the backend',
};

function senseOfError(error: ControllerError): Sense | undefined {
  if (snapshotPattern.test(error.text)) return snapshots;
  return speaksOfUse(error) ? undefined : senseOf(error.text);
}

/** The storage limits how often a volume may be changed. */
function isRateLimited({ text }: ControllerError): boolean {
  return ratePattern.test(text);
}

function reasonText(error: ControllerError): string {
  const meaning = isRateLimited(error)
    ? 'the storage allows a volume to be changed only once in a while'
    : senseOfError(error)?.meaning;
  return meaning === undefined ? quote(error.words) : `${meaning} (${quote(error.words)})`;
}

function adviceFor(c: PresentClaim, error: ControllerError): Fix[] {
  const after = [...restartResizer(c, error), ...readLogs(c)];
  if (isRateLimited(error)) return [waitForRate(c), ...after];
  const advice = senseOfError(error)?.advice;
  return [...(advice === undefined ? [] : [fix(advice)]), ...after, elseLowerRequest(c, error.words)];
}

function waitForRate(c: PresentClaim): Fix {
  return fix(
    'wait: the resizer tries again by itself, and succeeds once the storage allows the next change (six hours on EBS)',
    `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -w`,
  );
}

/** The resizer takes this code for a volume in use, and does not retry while a pod uses the claim (usedPVCs.hasInUseErrors). */
function restartResizer(c: PresentClaim, { code }: ControllerError): Fix[] {
  const [pod] = c.consumers.items;
  if (code !== 'FailedPrecondition' || !pod) return [];
  return [
    fix(
      `then, if the claim does not grow by itself: restart the resizer, which has put it off as long as pod/${pod.metadata.name} uses it`,
    ),
  ];
}

function readLogs(c: PresentClaim): Fix[] {
  const { driver } = resizerOf(c);
  return driver === undefined ? [] : [logsFix(findController(c.ask, driver, 'resizer'), 'driver')];
}
