import { shortNameOf } from '../../kube/resources.ts';
import { field } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { provenTrouble, silentTrouble } from './controller-trouble.ts';
import type { SnapshotTrouble } from './controller-trouble.ts';
import { ruleForSnapshot } from './snapshot-rule.ts';

const startSeconds = 20;
const silenceSeconds = 120;
export const aboutController = 'snapshot-controller';

/** The snapshot is as its maker left it: syncSnapshot puts a finalizer on it first of all, or an error. */
export const snapUntouched = ruleForSnapshot({
  cause: 'snap-controller-down',
  severity: 'blocking',
  explain(s) {
    if (!s.isUntouched || s.ageSeconds < startSeconds) return undefined;
    const trouble = provenTrouble(s) ?? (s.ageSeconds < silenceSeconds ? undefined : silentTrouble(s));
    return trouble && explainTrouble(s, trouble, 'nobody has taken up');
  },
});

/** It had begun, and died since: what it should do next is left undone. */
export const snapAbandoned = ruleForSnapshot({
  cause: 'snap-controller-down',
  severity: 'blocking',
  explain(s) {
    const isControllersTurn =
      s.content === undefined ? s.contentLookup?.state === 'missing' : s.content.status?.readyToUse === true;
    if (!isControllersTurn || s.ageSeconds < startSeconds) return undefined;
    const trouble = provenTrouble(s);
    return trouble && explainTrouble(s, trouble, 'nobody goes on with');
  },
});

export function explainTrouble(s: SnapshotCase, trouble: SnapshotTrouble, what: string): Explanation {
  const { confidence, words, evidence, fix } = trouble;
  const { metadata } = s.subject;
  return {
    confidence,
    about: aboutController,
    summary: `the snapshot controller ${words}, so ${what} ${shortNameOf(s.subject.kind)}/${metadata.name}`,
    evidence: [...evidence, ...(s.isUntouched ? [field(s.subject, 'status')] : [])],
    fix,
  };
}
