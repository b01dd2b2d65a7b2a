import { field } from '../../facts/evidence.ts';
import { beingCreatedAnnotation, managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { provenSidecarTrouble, silentSidecarTrouble } from './sidecar-trouble.ts';
import type { SidecarTrouble } from './sidecar-trouble.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

const startSeconds = 20;
const silenceSeconds = 120;

/** The content exists, and the next step is the csi-snapshotter's (sidecar-controller syncContent). */
export const snapSidecarDown = ruleForBoth({
  cause: 'snap-sidecar-down',
  severity: 'blocking',
  explain(s) {
    const { content } = s;
    if (!content) return explainUnreadContent(s);
    const driver = content.spec?.driver;
    const trouble = driver ? findTrouble(s, driver, content) : undefined;
    if (!driver || !trouble) return undefined;
    return {
      confidence: trouble.confidence,
      about: driver,
      summary:
        `${trouble.words} ${nameOf(s)} ` +
        `${content.status?.snapshotHandle === undefined ? 'has not been taken' : 'is taken, but its state is no longer updated'}.`,
      evidence: [...trouble.evidence, ...(isUntouched(content) ? [field(content, 'status')] : [])],
      fix: trouble.fix,
    };
  },
});

function findTrouble(s: SnapshotCase, driver: string, content: SnapshotContent): SidecarTrouble | undefined {
  const age = s.secondsSince(content.metadata.creationTimestamp);
  if (content.status?.readyToUse === true || age < startSeconds) return undefined;
  const isLongSilent =
    isUntouched(content) && content.metadata.labels?.[managedByLabel] === undefined && age >= silenceSeconds;
  const trouble =
    provenSidecarTrouble(s, driver) ?? (isLongSilent ? silentSidecarTrouble(s, driver, content) : undefined);
  // A sidecar that has worked on the content may run without a lease or a pod that can be seen.
  return isUntouched(content) || trouble?.confidence === 'certain' ? trouble : undefined;
}

/** The csi-snapshotter has written nothing on it. */
function isUntouched({ status, metadata }: SnapshotContent): boolean {
  return (
    status?.error === undefined &&
    status?.snapshotHandle === undefined &&
    metadata.annotations?.[beingCreatedAnnotation] === undefined
  );
}

/** The content could not be read: the class names the driver. */
function explainUnreadContent(s: SnapshotCase): Explanation | undefined {
  const { snapshot, driver } = s;
  const isBound = Boolean(snapshot?.status?.boundVolumeSnapshotContentName);
  if (!snapshot || !isBound || s.contentLookup?.state !== 'unknown' || !driver) return undefined;
  if (s.error || s.ageSeconds < startSeconds) return undefined;
  const trouble = provenSidecarTrouble(s, driver);
  if (trouble?.confidence !== 'certain') return undefined;
  return {
    confidence: 'likely',
    about: driver,
    summary: `${trouble.words} ${nameOf(s)} waits for it.`,
    evidence: [...trouble.evidence, field(snapshot, 'status.readyToUse')],
    fix: trouble.fix,
  };
}
