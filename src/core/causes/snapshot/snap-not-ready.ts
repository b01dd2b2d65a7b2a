import { ageText, parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { isSidecarHidden } from './snapshot-progress.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

/** By design: the snapshot is taken and being stored, so its data are safe and only restoring has to wait. */
export const snapNotReady = ruleForBoth({
  cause: 'snap-not-ready',
  severity: 'info',
  explain(s) {
    const { content, snapshot } = s;
    if (s.error || content?.status?.readyToUse === true) return undefined;
    const evidence = takenEvidence(s);
    if (!evidence || (!content && snapshot?.status?.readyToUse === true) || isSidecarHidden(s)) return undefined;
    const since = parseTime(snapshot?.status?.creationTime) ?? parseTime(content?.metadata.creationTimestamp);
    return {
      summary: `${nameOf(s)} is taken, and ${s.driver ?? 'the driver'} still stores it away${since === undefined ? '' : ` (for ${ageText(since, s.now)})`}: it can be restored from when that is done`,
      evidence,
      fix: [fix('wait: large volumes take hours', whyCommand(s))],
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

function whyCommand({ subject: { kind, metadata } }: SnapshotCase): string {
  const type = kind === 'VolumeSnapshot' ? 'vs' : 'vsc';
  return `kubectl csi why ${type}/${shellWord(metadata.name)} ${inNamespace(metadata.namespace)}`.trim();
}
