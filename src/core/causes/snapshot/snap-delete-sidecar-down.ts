import { field } from '../../facts/evidence.ts';
import { managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import { finalizersText, silenceSeconds, terminatingContent } from './content-deletion.ts';
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
      summary: `${trouble.words}, so nobody deletes ${nameOf(s)} on the storage`,
      evidence: [...trouble.evidence, field(content, 'metadata.finalizers', finalizersText(content))],
      fix: trouble.fix,
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
