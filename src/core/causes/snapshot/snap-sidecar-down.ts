import { field } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { beingCreatedAnnotation, managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { provenSidecarTrouble, silentSidecarTrouble } from './sidecar-trouble.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

const startSeconds = 20;
const silenceSeconds = 120;

/** The content is made, and only the sidecar of the driver can go on (sidecar-controller syncContent). */
export const snapSidecarDown = ruleForBoth({
  cause: 'snap-sidecar-down',
  severity: 'blocking',
  explain(s) {
    const { content } = s;
    const driver = content?.spec?.driver;
    if (!content) return unseenContent(s);
    const age = s.secondsSince(content.metadata.creationTimestamp);
    if (!driver || content.status?.readyToUse === true || age < startSeconds) return undefined;
    const isUntouched =
      content.status?.error === undefined &&
      content.status?.snapshotHandle === undefined &&
      content.metadata.annotations?.[beingCreatedAnnotation] === undefined;
    const isLongSilent =
      isUntouched && content.metadata.labels?.[managedByLabel] === undefined && age >= silenceSeconds;
    const trouble =
      provenSidecarTrouble(s, driver) ?? (isLongSilent ? silentSidecarTrouble(s, driver, content) : undefined);
    // Whoever has worked on it may do without a lease or a sidecar that we can see.
    if (!trouble || (!isUntouched && trouble.confidence !== 'certain')) return undefined;
    return {
      confidence: trouble.confidence,
      about: driver,
      summary: `${trouble.words}, so nobody ${content.status?.snapshotHandle === undefined ? 'takes' : 'goes on with'} ${nameOf(s)}`,
      evidence: [...trouble.evidence, ...(isUntouched ? [field(content, 'status')] : [])],
      fix: trouble.fix,
    };
  },
});

/** Who may not read contents knows the driver from the class. */
function unseenContent(s: SnapshotCase): Explanation | undefined {
  const { snapshot, driver } = s;
  if (
    !snapshot?.status?.boundVolumeSnapshotContentName ||
    s.contentLookup?.state !== 'unknown' ||
    !driver ||
    s.error ||
    s.ageSeconds < startSeconds
  )
    return undefined;
  const trouble = provenSidecarTrouble(s, driver);
  if (trouble?.confidence !== 'certain') return undefined;
  return {
    confidence: 'likely',
    about: driver,
    summary: `${trouble.words}, so nobody goes on with ${nameOf(s)}`,
    evidence: [...trouble.evidence, field(snapshot, 'status.readyToUse')],
    fix: trouble.fix,
  };
}
