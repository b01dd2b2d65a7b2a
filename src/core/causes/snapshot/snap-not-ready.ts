import { ageText, parseTime } from '../../kube/time.ts';
import { field } from '../../facts/evidence.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { isSidecarHidden } from './snapshot-progress.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

/** By design: the snapshot is taken and being stored, so its data is safe and only restoring has to wait. */
export const snapNotReady = ruleForBoth({
  cause: 'snap-not-ready',
  severity: 'info',
  explain(s) {
    const { content, snapshot } = s;
    if (s.error || content?.status?.readyToUse === true) return undefined;
    const evidence = takenEvidence(s);
    if (!evidence || (!content && snapshot?.status?.readyToUse === true) || isSidecarHidden(s)) return undefined;
    const since = parseTime(snapshot?.status?.creationTime) ?? parseTime(content?.metadata.creationTimestamp);
    const age = since === undefined ? '' : `, for ${ageText(since, s.now)} now`;
    return {
      summary:
        `${nameOf(s)} is taken; ${s.driver ?? 'the driver'} is still storing it (readyToUse false${age}). ` +
        'This is expected: a first snapshot of a large volume can take hours.',
      evidence,
      fix: [
        steps('Wait until it is ready. Do not recreate it: that would start over.', [
          kubectl('wait', s.subject, `--for=jsonpath='{.status.readyToUse}'=true --timeout=2h`),
        ]),
      ],
    };
  },
});

/** Where the content could not be read, the snapshot itself shows when it was taken. */
function takenEvidence({ content, snapshot, subject }: SnapshotCase): EvidenceList | undefined {
  const ready = field(subject, 'status.readyToUse');
  if (content)
    return content.status?.snapshotHandle === undefined ? undefined : [field(content, 'status.snapshotHandle'), ready];
  return snapshot?.status?.creationTime === undefined ? undefined : [field(snapshot, 'status.creationTime'), ready];
}
