import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { isForNode } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { controllerErrorOf, growthEvidence, resizerOf } from './expansion.ts';
import type { ControllerError } from './expansion.ts';
import { stopFix } from './pod-restart.ts';

const ownWords = /only supports offline expansion and volume is currently in-use/;
/** In-tree plugins return no code: Cinder and others want the volume detached. */
const inUseWords =
  /volume status is not available|(?:is|currently|still) (?:in[- ]use|attached|published|mounted)|must be (?:detached|unpublished|offline)|offline (?:expan|resiz)/i;
/** Words that ask for an unused volume, whatever the code: Azure and Cinder answer Internal. */
const unusedWords =
  /\bonly\b.{0,30}\b(?:unattached|detached|unpublished|offline)\b|must be (?:available|unattached|detached|unpublished|offline)|currently in[- ]use|online (?:volume |disk )?(?:expan|resiz)\w* (?:is |are )?not (?:supported|allowed|possible)|not support online (?:volume |disk )?(?:expan|resiz)/i;
/** A precondition of another kind, which stopping the pod does not meet. */
const otherPrecondition = /snapshot|clon(?:e|ing)|replica|backup|migrat|being (?:created|deleted)/i;
/** Twice the resizer's longest retry interval of five minutes. */
const retrySeconds = 600;

/** CSI ControllerExpandVolume: FAILED_PRECONDITION for a volume in use, from a driver that expands detached volumes only (external-resizer inUseError). */
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
    summary: `${driverOf(c)} grows volumes only while nobody uses them; no pod uses this one any more, so the next try should succeed`,
    evidence: evidenceOf(c, error),
    fix: [
      fix(
        'wait a few minutes before you start the pods again',
        `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -w`,
      ),
    ],
  };
}

function explainInUse(c: PresentClaim, error: ControllerError, pod: Pod | undefined): Explanation {
  return {
    confidence: error.isKept && pod && error.code === 'FailedPrecondition' ? 'certain' : 'likely',
    summary: `${driverOf(c)} grows volumes only while nobody uses them, and ${pod ? `pod/${pod.metadata.name} uses this one` : 'this one is in use'}`,
    evidence: evidenceOf(c, error),
    fix: [pod ? stopFix(pod, 'wait until the claim shows the new size') : stopUnknownPods(c)],
  };
}

function driverOf(c: PresentClaim): string {
  return resizerOf(c).driver ?? 'the driver';
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

function stopUnknownPods(c: PresentClaim): Fix {
  return fix(
    'stop the pods that use the claim, wait until it shows the new size, then start them again',
    `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
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

/** The CSI spec has FAILED_PRECONDITION for a volume in use; drivers use it for other reasons too, and report use with other codes. */
export function speaksOfUse({ code, text }: Pick<ControllerError, 'code' | 'text'>): boolean {
  if (ownWords.test(text) || unusedWords.test(text)) return true;
  if (code === undefined) return inUseWords.test(text);
  return code === 'FailedPrecondition' && (inUseWords.test(text) || !otherPrecondition.test(text));
}
