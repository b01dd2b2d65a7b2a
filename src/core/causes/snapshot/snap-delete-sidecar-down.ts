import { field } from '../../facts/evidence.ts';
import { managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { Fix } from '../../report/report.ts';
import { retainContent } from '../lib/snapshot-content.ts';
import { saveCommand, steps } from '../lib/steps.ts';
import { contentFinalizer, finalizersText, silenceSeconds, terminatingContent } from './content-deletion.ts';
import { finishDeletion, keepData, storedText } from './deletion-fixes.ts';
import { releaseCommand } from '../lib/release-finalizers.ts';
import { provenSidecarTrouble, silentSidecarTrouble } from './sidecar-trouble.ts';
import type { SidecarTrouble } from './sidecar-trouble.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

const settleSeconds = 60;

/** Only the csi-snapshotter of the driver deletes the snapshot on the storage and removes the finalizer. */
export const snapDeleteSidecarDown = ruleForBoth({
  cause: 'snap-delete-sidecar-down',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const content = terminatingContent(s);
    const driver = content?.spec?.driver;
    const trouble = content && driver ? findTrouble(s, driver, content) : undefined;
    if (!content || !driver || !trouble) return undefined;
    return {
      confidence: trouble.confidence,
      about: driver,
      summary: `${trouble.words} The deletion of ${nameOf(s)} waits for it.`,
      evidence: [...trouble.evidence, field(content, 'metadata.finalizers', finalizersText(content))],
      fix: [...finishDeletion(trouble.fix, content), ...keepData(content), giveUp(content)],
    };
  },
});

function findTrouble(s: SnapshotCase, driver: string, content: SnapshotContent): SidecarTrouble | undefined {
  const waited = s.secondsSince(content.metadata.deletionTimestamp);
  if (waited < settleSeconds) return undefined;
  const isLongSilent = waited >= silenceSeconds && content.metadata.labels?.[managedByLabel] === undefined;
  const trouble =
    provenSidecarTrouble(s, driver) ?? (isLongSilent ? silentSidecarTrouble(s, driver, content) : undefined);
  // Where nothing of the sidecar could be read, a driver that refuses is just as likely.
  return trouble?.confidence === 'possible' ? undefined : trouble;
}

/** Without a csi-snapshotter nothing else removes the finalizer. */
function giveUp(content: SnapshotContent): Fix {
  return steps(
    'Only if the driver is gone for good: remove exactly the finalizer of its csi-snapshotter. ' +
      `${storedText(content).replace(/^s|^t/, (letter) => letter.toUpperCase())} stays on the storage, and no ` +
      'object knows of it any more.',
    [saveCommand(content), retainContent(content), releaseCommand(content, [contentFinalizer])],
    'disruptive',
  );
}
