import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isForNode } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { controllerErrorOf, growthEvidence, lowerRequest, resizerOf } from './expansion.ts';
import type { ControllerError } from './expansion.ts';
import { refusalInUse, speaksOfUse } from './resize-offline-only.ts';
import { mayPass } from '../lib/driver-error/grpc-codes.ts';
import { quote } from '../lib/driver-error/quote.ts';

const ratePattern = /VolumeModificationRateExceeded|maximum modification rate|wait at least \d+ hours/i;
const snapshotPattern = /\b(?:has|have|with|existing|delete)\b(?: \w+){0,2} snapshots?\b/i;

/** external-resizer markControllerExpansionFailedCondition; before 1.31, and for in-tree plugins, only the event tells. */
export const resizeControllerError = claimRule({
  cause: 'resize-controller-error',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    if (isForNode(c.claim)) return undefined;
    const error = controllerErrorOf(c);
    // A call that may still be at work is another matter, as long as nothing final was written down.
    if (!error || (!error.isKept && mayPass(error.code)) || refusalInUse(c)) return undefined;
    const { driver } = resizerOf(c);
    const isRate = ratePattern.test(error.text);
    const sense = snapshotPattern.test(error.text) ? snapshots : speaksOfUse(error) ? undefined : senseOf(error.text);
    const why = isRate ? 'the storage allows a volume to be changed only once in a while' : sense?.meaning;
    return {
      confidence: error.isKept ? 'certain' : 'likely',
      summary: `${driver ?? 'the storage plugin'} could not grow the volume to ${c.request ?? 'the new size'}: ${why === undefined ? quote(error.words) : `${why} (${quote(error.words)})`}`,
      evidence: [...growthEvidence(c), error.evidence],
      fix: [
        ...(isRate ? [waitForRate(c)] : sense?.advice === undefined ? [] : [fix(sense.advice)]),
        ...retry(c, error),
        ...logs(c, driver),
        ...(isRate ? [] : [undo(c, error)]),
      ],
    };
  },
});

const snapshots = {
  meaning: 'the volume has snapshots, and the storage does not grow such a volume',
  advice: 'delete the snapshots of the volume that nobody needs, in the cluster and in the backend',
};

/** The resizer takes this code for a volume in use, and does not ask again while a pod uses the claim (usedPVCs.hasInUseErrors). */
function retry(c: PresentClaim, { code }: ControllerError): Fix[] {
  const [pod] = c.consumers.items;
  return code === 'FailedPrecondition' && pod
    ? [
        fix(
          `then, if the claim does not grow by itself: restart the resizer, which has put it off as long as pod/${pod.metadata.name} uses it`,
        ),
      ]
    : [];
}

function waitForRate(c: PresentClaim): Fix {
  return fix(
    'wait: the resizer tries again by itself, and succeeds once the storage allows the next change (six hours on EBS)',
    `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -w`,
  );
}

function logs(c: PresentClaim, driver: string | undefined): Fix[] {
  return driver === undefined ? [] : [logsFix(findController(c.ask, driver, 'resizer'), 'driver')];
}

function undo(c: PresentClaim, error: ControllerError): Fix {
  const { text, ...rest } = lowerRequest(c, error.words);
  return { text: `if it cannot be mended: ${text}`, ...rest };
}
