import type { StorageClass } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { atLeast } from '../../kube/version.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { defaultEvidence, unfilledDefault } from './default-class.ts';
import { deleteClaimCommand } from './delete-claim.ts';

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
    const why = isLater
      ? 'came after it'
      : 'was made the default after it or admission plugin DefaultStorageClass is off';
    return {
      confidence: isLater ? 'certain' : 'likely',
      about: fallback.metadata.name,
      summary: `the claim names no class, default class ${fallback.metadata.name} ${why}, and Kubernetes ${version.major}.${version.minor} fills a default in only when a claim is made`,
      evidence: [
        field(c.claim, 'spec.storageClassName', 'not set', c.claim.metadata.creationTimestamp),
        isLater ? field(fallback, 'metadata.creationTimestamp') : defaultEvidence(fallback),
      ],
      fix: [advise(c, fallback)],
    };
  },
});

/** An older class may have become the default later; no object keeps the time of that. */
function isYoungerThanClaim({ metadata }: StorageClass, c: PresentClaim): boolean {
  return (parseTime(metadata.creationTimestamp) ?? 0) > (parseTime(c.claim.metadata.creationTimestamp) ?? 0);
}

function advise(c: PresentClaim, fallback: StorageClass): Fix {
  const text = isYoungerThanClaim(fallback, c)
    ? 'delete the claim and make it again: it then gets the default class at once'
    : `delete the claim and make it again: it then gets the default class at once, unless the plugin is off; with storageClassName: ${fallback.metadata.name} it works either way`;
  return fix(text, deleteClaimCommand(c), 'disruptive');
}
