import { fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { isForNode } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { controllerErrorOf, growthEvidence, resizerOf } from './expansion.ts';
import type { ControllerError } from './expansion.ts';
import { stopFix } from './workload-of.ts';

const ownWords = /only supports offline expansion and volume is currently in-use/;
/** In-tree plugins have no codes: Cinder and its like want the volume detached. */
const inUseWords =
  /volume status is not available|(?:is|currently|still) (?:in[- ]use|attached|published|mounted)|must be (?:detached|unpublished|offline)|offline (?:expan|resiz)/i;
/** Words that ask for an unused volume, whatever code a driver gives them: Azure and Cinder say Internal. */
const unusedWords =
  /\bonly\b.{0,30}\b(?:unattached|detached|unpublished|offline)\b|must be (?:available|unattached|detached|unpublished|offline)|currently in[- ]use|online (?:volume |disk )?(?:expan|resiz)\w* (?:is |are )?not (?:supported|allowed|possible)|not support online (?:volume |disk )?(?:expan|resiz)/i;
/** A precondition of another kind: a pod that stops does not meet it. */
const otherPrecondition = /snapshot|clon(?:e|ing)|replica|backup|migrat|being (?:created|deleted)/i;
/** The resizer tries again five minutes later at the most. */
const retrySeconds = 600;

/** CSI ControllerExpandVolume answers FAILED_PRECONDITION for a volume in use when the driver can grow detached ones only (external-resizer inUseError). */
export const resizeOfflineOnly = claimRule({
  cause: 'resize-offline-only',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const error = refusalInUse(c);
    if (!error) return undefined;
    const driver = resizerOf(c).driver ?? 'the driver';
    const { consumers } = c;
    const [pod] = consumers.items;
    const evidence: Explanation['evidence'] = [
      ...growthEvidence(c),
      error.evidence,
      ...consumers.items
        .slice(0, 3)
        .map((user) => note(user, `uses the claim on ${user.spec?.nodeName ?? 'no node yet'}`)),
    ];
    if (!pod && consumers.complete && error.isKept) {
      return {
        severity: 'info',
        confidence: 'likely',
        summary: `${driver} grows volumes only while nobody uses them; no pod uses this one any more, so the next try should succeed`,
        evidence,
        fix: [
          fix(
            'wait a few minutes before you start the pods again',
            `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -w`,
          ),
        ],
      };
    }
    return {
      confidence: error.isKept && pod && error.code === 'FailedPrecondition' ? 'certain' : 'likely',
      summary: `${driver} grows volumes only while nobody uses them, and ${pod ? `pod/${pod.metadata.name} uses this one` : 'this one is in use'}`,
      evidence,
      fix: pod
        ? [stopFix(pod, 'wait until the claim shows the new size')]
        : [
            fix(
              'stop the pods that use the claim, wait until it shows the new size, then start them again',
              `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
              'disruptive',
            ),
          ],
    };
  },
});

/** The driver wants the volume unused, and somebody uses it, or did so a moment ago. */
export function refusalInUse(c: PresentClaim): ControllerError | undefined {
  if (isForNode(c.claim)) return undefined;
  const error = controllerErrorOf(c);
  if (!error || !speaksOfUse(error)) return undefined;
  const isLate = error.time === 0 || (c.now - error.time) / 1000 > retrySeconds;
  return c.consumers.items.length === 0 && c.consumers.complete && isLate ? undefined : error;
}

/** The specification has FAILED_PRECONDITION for a volume in use; drivers give it for other reasons too, and tell of use with other codes. */
export function speaksOfUse({ code, text }: Pick<ControllerError, 'code' | 'text'>): boolean {
  if (ownWords.test(text) || unusedWords.test(text)) return true;
  if (code === undefined) return inUseWords.test(text);
  return code === 'FailedPrecondition' && (inUseWords.test(text) || !otherPrecondition.test(text));
}
