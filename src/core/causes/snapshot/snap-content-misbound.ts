import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { belongsTo } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { asksForContent } from './content-binding.ts';
import { matchError, ruleForBoth } from './snapshot-rule.ts';

/** The content names another snapshot, or an earlier one of the same name (IsVolumeSnapshotRefSet). */
export const snapContentMisbound = ruleForBoth({
  cause: 'snap-content-misbound',
  severity: 'blocking',
  explain(s) {
    const snapshot = askingSnapshot(s);
    const said = matchError(
      s,
      /is bound to a different snapshot|is not bound to the VolumeSnapshot correctly|Could not bind snapshot/,
    )?.evidence;
    if (!s.content) return said && explainUnread(s, said);
    if (!snapshot || belongsTo(s.content, snapshot)) return undefined;
    return {
      summary: `volumesnapshot/${snapshot.metadata.name} wants volumesnapshotcontent/${s.content.metadata.name}, which belongs to ${ownerText(s.content, snapshot)}`,
      evidence: evidenceOf(s.content, snapshot, said),
      fix: adviceFor(s.content, snapshot),
    };
  },
});

/** The snapshot that wants the content, whichever of the two is the target. */
function askingSnapshot({ subject, ask }: SnapshotCase): VolumeSnapshot | undefined {
  if (subject.kind === 'VolumeSnapshot') return subject;
  const { name, namespace } = subject.spec?.volumeSnapshotRef ?? {};
  if (!name || namespace === undefined) return undefined;
  const lookup = ask.get('VolumeSnapshot', namespace, name);
  return lookup.state === 'found' && asksForContent(lookup.object, subject.metadata.name) ? lookup.object : undefined;
}

function ownerText({ spec }: SnapshotContent, { metadata }: VolumeSnapshot): string {
  const { name, namespace } = spec?.volumeSnapshotRef ?? {};
  if (name === metadata.name && namespace === metadata.namespace) return 'an earlier snapshot of the same name';
  return name ? `volumesnapshot/${name} in namespace ${namespace ?? ''}` : 'no snapshot';
}

function evidenceOf(content: SnapshotContent, snapshot: VolumeSnapshot, said: Evidence | undefined): EvidenceList {
  const { name = '', namespace = '', uid } = content.spec?.volumeSnapshotRef ?? {};
  return [
    field(content, 'spec.volumeSnapshotRef', `${namespace}/${name}${uid ? `, uid ${uid}` : ''}`),
    field(snapshot, 'metadata.uid', snapshot.metadata.uid),
    ...(said ? [said] : []),
  ];
}

function adviceFor({ metadata, spec }: SnapshotContent, snapshot: VolumeSnapshot): Fix[] {
  const isPreProvisioned = spec?.source?.snapshotHandle !== undefined;
  return [
    lookFix(metadata.name),
    isPreProvisioned
      ? rebindFix(metadata.name, snapshot)
      : fix('or make a new content with the same snapshot handle for this snapshot, and leave the old one to its own'),
  ];
}

function lookFix(contentName: string): Fix {
  return fix(
    'look which snapshot the content belongs to; use another content if that one is still needed',
    `kubectl get volumesnapshotcontent ${shellWord(contentName)} -o yaml`,
  );
}

function rebindFix(contentName: string, { metadata: { name, namespace } }: VolumeSnapshot): Fix {
  const patch = JSON.stringify({ spec: { volumeSnapshotRef: { name, namespace, uid: null } } });
  return fix(
    'if no other snapshot needs it, let it name this one, and leave the uid empty',
    `kubectl patch volumesnapshotcontent ${shellWord(contentName)} --type=merge -p ${shellWord(patch)}`,
    'disruptive',
  );
}

/** The content could not be read, and the controller reports that it belongs to another snapshot. */
function explainUnread(s: SnapshotCase, said: Evidence): Explanation | undefined {
  if (s.subject.kind !== 'VolumeSnapshot' || s.contentLookup?.state !== 'unknown') return undefined;
  return {
    confidence: 'likely',
    summary: `the content of volumesnapshot/${s.subject.metadata.name} belongs to another snapshot`,
    evidence: [said],
    fix: [lookFix(s.contentName ?? '')],
  };
}
