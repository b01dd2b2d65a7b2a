import { nearestName } from '../../kube/names.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, fix, inNamespace } from '../../facts/evidence.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { matchError, ruleForSnapshot } from './snapshot-rule.ts';
import { sourceOf } from './snapshot-source.ts';
import type { SnapshotSource } from './snapshot-source.ts';

/** getClaimFromVolumeSnapshot looks in the snapshot's own namespace only. */
export const snapSourcePvcMissing = ruleForSnapshot({
  cause: 'snap-source-pvc-missing',
  severity: 'blocking',
  explain(s) {
    const missing = findMissing(s);
    if (!missing) return undefined;
    const { snapshot, claim, isProven } = missing;
    const namespace = snapshot.metadata.namespace ?? '';
    return {
      confidence: isProven ? 'certain' : 'likely',
      summary: `claim ${claim.name}, of which volumesnapshot/${snapshot.metadata.name} is to be taken, ${isProven ? `does not exist in namespace ${namespace}` : 'was not found by the snapshot controller'}${hintText(s, missing)}`,
      evidence: evidenceOf(missing),
      fix: [adviceFor(missing)],
    };
  },
});

interface MissingSource extends SnapshotSource {
  /** Known not to exist; otherwise only the controller says so. */
  readonly isProven: boolean;
  readonly said: Evidence | undefined;
}

function findMissing(s: SnapshotCase): MissingSource | undefined {
  const source = sourceOf(s);
  if (!source || source.claim.lookup.state === 'found') return undefined;
  const said = matchError(s, /failed to retrieve PVC \S+ from the lister|cannot get claim from snapshot/)?.evidence;
  const isProven = source.claim.lookup.state === 'missing';
  return isProven || said ? { ...source, isProven, said } : undefined;
}

/** The claim that may have been meant: one of a similar name, or one of the same name in another namespace. */
function hintText(s: SnapshotCase, { snapshot, claim, isProven }: MissingSource): string {
  const namespace = snapshot.metadata.namespace ?? '';
  const known = isProven
    ? s.ask.list('PersistentVolumeClaim', namespace, `which claim was meant by ${claim.name}`).items
    : [];
  const near = nearestName(
    claim.name,
    known.map(({ metadata }) => metadata.name),
  );
  if (near !== undefined) return `; did you mean ${near}?`;
  const elsewhere = s.ask
    .seen('PersistentVolumeClaim')
    .find(({ metadata }) => metadata.name === claim.name && metadata.namespace !== namespace);
  return elsewhere
    ? `, but in ${elsewhere.metadata.namespace ?? ''}: a snapshot is taken in its own namespace only`
    : '';
}

function evidenceOf({ snapshot, claim, named, isProven, said }: MissingSource): EvidenceList {
  const namespace = snapshot.metadata.namespace ?? '';
  return [
    named,
    ...(isProven ? [absent('PersistentVolumeClaim', claim.name, namespace)] : []),
    ...(said ? [said] : []),
  ];
}

function adviceFor({ snapshot }: MissingSource): Fix {
  return fix(
    'make the snapshot again with the right claim: its source cannot be changed',
    `kubectl ${inNamespace(snapshot.metadata.namespace)}get pvc`,
    'disruptive',
  );
}
