import type { StorageClass } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { atLeast } from '../../kube/version.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { defaultEvidence, unfilledDefault } from './default-class.ts';

/** Before 1.26 the class is filled in at creation only. */
export const retroactiveDefaultUnsupported = claimRule({
  cause: 'retroactive-default-unsupported',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const fallback = unfilledDefault(c);
    const version = c.ask.graph.serverVersion;
    if (!fallback || !version || atLeast(version, 1, 26) !== false) return undefined;
    const isLater = isYoungerThanClaim(fallback, c);
    const { name } = fallback.metadata;
    const why = isLater
      ? `StorageClass "${name}" became the default after it was created`
      : `default class "${name}" was not filled in: it became the default later, or the admission plugin DefaultStorageClass is off`;
    return {
      confidence: isLater ? 'certain' : 'likely',
      about: fallback.metadata.name,
      summary:
        `${claimText(c)} names no StorageClass, and ${why}. ` +
        `Kubernetes ${version.major}.${version.minor} fills in a default only when a claim is created.`,
      evidence: [
        field(c.claim, 'spec.storageClassName', 'not set', c.claim.metadata.creationTimestamp),
        isLater ? field(fallback, 'metadata.creationTimestamp') : defaultEvidence(fallback),
      ],
      fix: [recreateClaim(c, `with StorageClass "${name}"`, classChange(c, name))],
    };
  },
});

/** An older class may have become the default later; no object keeps the time of that. */
function isYoungerThanClaim({ metadata }: StorageClass, c: PresentClaim): boolean {
  return (parseTime(metadata.creationTimestamp) ?? 0) > (parseTime(c.claim.metadata.creationTimestamp) ?? 0);
}
