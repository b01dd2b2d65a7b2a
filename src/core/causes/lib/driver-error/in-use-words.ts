import type { GrpcCode } from './grpc-codes.ts';

const ownWords = /only supports offline expansion and volume is currently in-use/;
/** In-tree plugins return no code: Cinder and others want the volume detached. */
export const inUseWords =
  /volume status is not available|(?:is|currently|still) (?:in[- ]use|attached|published|mounted)|must be (?:detached|unpublished|offline)|offline (?:expan|resiz)/i;
/** Words that demand an unused volume, with any code: Azure and Cinder answer Internal. */
export const unusedWords =
  /\bonly\b.{0,30}\b(?:unattached|detached|unpublished|offline)\b|must be (?:unattached|detached|unpublished)|\b(?:volume|disk|image|lun|status|state)\b[^.;]{0,60}\bmust be ["']?(?:available|offline)\b|(?<!\b(?:snapshot|lock|pool|resource|session|slot)\b[^.;]{0,40})\bcurrently in[- ]use|online (?:volume |disk )?(?:expan|resiz)\w* (?:is |are )?not (?:supported|allowed|possible)|not support online (?:volume |disk )?(?:expan|resiz)|\bwhile (?:it is |the \w+ is |being )?(?:attached to|mounted on|in use by) (?:a |any )?(?:running )?(?:vm|virtual machine|instance|node|server)\b|requires? the (?:virtual machine|vm|instance) to be (?:deallocated|stopped)/i;
/** A precondition of another kind, which stopping the pod does not meet. */
const otherPrecondition = /snapshot|clon(?:e|ing)|replica|backup|migrat|being (?:created|deleted)/i;

/**
 * The CSI spec has FAILED_PRECONDITION for a volume in use; drivers use it for other reasons too, and report use with
 * other codes.
 */
export function speaksOfUse({ code, text }: { readonly code: GrpcCode | undefined; readonly text: string }): boolean {
  if (ownWords.test(text) || unusedWords.test(text)) return true;
  if (code === undefined) return inUseWords.test(text);
  return code === 'FailedPrecondition' && (inUseWords.test(text) || !otherPrecondition.test(text));
}
