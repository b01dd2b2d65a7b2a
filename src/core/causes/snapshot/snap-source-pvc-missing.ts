import { nearestName } from '../../kube/names.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { takenAtOnce } from './retry.ts';
import { recreateSnapshot } from './snapshot-request.ts';
import { matchError, ruleForSnapshot } from './snapshot-rule.ts';
import { sourceOf, sourceText } from './snapshot-source.ts';
import type { SnapshotSource } from './snapshot-source.ts';
import { sourceMissingClaimTexts } from '../lib/driver-error/sentences/snapshots.ts';

/** getClaimFromVolumeSnapshot looks in the snapshot's own namespace only. */
export const snapSourcePvcMissing = ruleForSnapshot({
  cause: 'snap-source-pvc-missing',
  severity: 'blocking',
  explain(s) {
    const missing = findMissing(s);
    if (!missing) return undefined;
    const { snapshot, isProven } = missing;
    const hint = hintOf(s, missing);
    return {
      confidence: isProven ? 'certain' : 'likely',
      summary:
        `${sourceText(missing)} ` +
        `${isProven ? `does not exist in namespace ${snapshot.metadata.namespace ?? ''}` : 'was not found by the snapshot controller'}.${hintText(hint)}`,
      evidence: evidenceOf(missing),
      fix: adviceFor(s, missing, hint),
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
  const said = matchError(s, sourceMissingClaimTexts)?.evidence;
  const isProven = source.claim.lookup.state === 'missing';
  return isProven || said ? { ...source, isProven, said } : undefined;
}

/** The claim that may have been intended: one of a similar name, or one of the same name in another namespace. */
interface Hint {
  readonly near?: string;
  readonly namespace?: string;
  /** The bound claims of the namespace, where they were read. */
  readonly others: readonly string[];
}

function hintOf(s: SnapshotCase, { snapshot, claim, isProven }: MissingSource): Hint {
  const namespace = snapshot.metadata.namespace ?? '';
  const known = isProven
    ? s.ask.list('PersistentVolumeClaim', namespace, `which claim was meant by ${claim.name}`).items
    : [];
  // A claim without a volume has nothing to take a snapshot of; it may be the very one that waits for this snapshot.
  const others = known.filter(({ status }) => status?.phase === 'Bound').map(({ metadata }) => metadata.name);
  const near = nearestName(claim.name, others);
  if (near !== undefined) return { near, others };
  const elsewhere = s.ask
    .seen('PersistentVolumeClaim')
    .find(({ metadata }) => metadata.name === claim.name && metadata.namespace !== namespace)?.metadata.namespace;
  return { others, ...(elsewhere !== undefined && { namespace: elsewhere }) };
}

function hintText({ near, namespace }: Hint): string {
  if (near !== undefined) return ` The closest match is pvc/${near}.`;
  return namespace === undefined
    ? ''
    : ` There is a claim of that name in namespace ${namespace}; a snapshot is taken in its own namespace only.`;
}

function evidenceOf({ snapshot, claim, named, isProven, said }: MissingSource): EvidenceList {
  const namespace = snapshot.metadata.namespace ?? '';
  return [
    named,
    ...(isProven ? [absent('PersistentVolumeClaim', claim.name, namespace)] : []),
    ...(said ? [said] : []),
  ];
}

function adviceFor(s: SnapshotCase, { snapshot, claim }: MissingSource, { near, namespace, others }: Hint): Fix[] {
  if (namespace !== undefined)
    return [
      recreateSnapshot(
        s,
        snapshot,
        `in namespace ${namespace}, where pvc/${claim.name} is, if that one is meant`,
        { metadata: { namespace } },
        takenAtOnce,
      ),
    ];
  const names = others.map((name) => `pvc/${name}`);
  const listed = names.length > 0 ? `; there ${names.length > 1 ? 'are' : 'is'} ${nameAll(names)}` : '';
  return [
    recreateSnapshot(
      s,
      snapshot,
      near === undefined
        ? `with the claim that is meant (PLACEHOLDER_CLAIM, in namespace ${snapshot.metadata.namespace ?? ''}${listed})`
        : `with pvc/${near}, if that is meant`,
      { spec: { source: { persistentVolumeClaimName: near ?? 'PLACEHOLDER_CLAIM' } } },
      takenAtOnce,
    ),
  ];
}
