import type { Evidence, Fix } from '../../report/report.ts';
import type { Lookup } from '../../graph/inquiry.ts';
import { newestMatch } from '../../graph/events.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { belongsTo } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Account } from '../../facts/rights.ts';
import {
  accountOfSnapshotController,
  findSnapshotController,
  snapshotControllerLogs,
} from '../../facts/snapshot/snapshot-controller.ts';
import { addRights, missingEvidence, missingRights, missingWords } from '../lib/missing-right.ts';
import { sentence } from '../lib/sentence.ts';
import { asksForContent } from './content-binding.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { importSecond } from './import-snapshot.ts';
import { matchError, objectText, ruleForBoth } from './snapshot-rule.ts';
import { contentMisboundTexts } from '../lib/driver-error/sentences/snapshots.ts';

/** The content names another snapshot, or an earlier one of the same name (IsVolumeSnapshotRefSet). */
export const snapContentMisbound = ruleForBoth({
  cause: 'snap-content-misbound',
  severity: 'blocking',
  explain(s) {
    const snapshot = askingSnapshot(s);
    const said = matchError(s, contentMisboundTexts)?.evidence;
    if (!s.content) return said && explainUnread(s, said);
    if (!snapshot) return undefined;
    if (belongsTo(s.content, snapshot)) return explainHalfBound(s, s.content, snapshot, said ?? misboundEvent(s));
    return {
      summary:
        `${objectText(snapshot)} names VolumeSnapshotContent "${s.content.metadata.name}", which is reserved for ` +
        `${ownerText(s, s.content, snapshot)}.`,
      evidence: evidenceOf(s.content, snapshot, said),
      fix: adviceFor(s, s.content, snapshot),
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

function ownerText(s: SnapshotCase, content: SnapshotContent, snapshot: VolumeSnapshot): string {
  const { name, namespace } = content.spec?.volumeSnapshotRef ?? {};
  const { metadata } = snapshot;
  if (name === metadata.name && namespace === metadata.namespace)
    return 'an earlier snapshot of the same name (another uid)';
  if (!name) return 'no snapshot';
  const gone = ownerOf(s, content, snapshot) === 'missing' ? ', which does not exist' : '';
  return `VolumeSnapshot "${name}" in namespace ${namespace ?? ''}${gone}`;
}

function evidenceOf(content: SnapshotContent, snapshot: VolumeSnapshot, said: Evidence | undefined): EvidenceList {
  const { name = '', namespace = '', uid } = content.spec?.volumeSnapshotRef ?? {};
  return [
    field(content, 'spec.volumeSnapshotRef', `${namespace}/${name}${uid ? `, uid ${uid}` : ''}`),
    field(snapshot, 'metadata.uid', snapshot.metadata.uid),
    ...(said ? [said] : []),
  ];
}

function adviceFor(s: SnapshotCase, content: SnapshotContent, snapshot: VolumeSnapshot): Fix[] {
  const owner = ownerOf(s, content, snapshot);
  const isImported = content.spec?.source?.snapshotHandle !== undefined;
  // The snapshot that the content belongs to keeps it as long as it exists.
  return isImported && owner !== 'found' ? [rebindFix(content, snapshot, owner)] : [importSecond(snapshot, content)];
}

/** Whether the snapshot for which the content is reserved exists. */
function ownerOf({ ask }: SnapshotCase, { spec }: SnapshotContent, snapshot: VolumeSnapshot): Lookup<object>['state'] {
  const { name, namespace, uid } = spec?.volumeSnapshotRef ?? {};
  if (!name || namespace === undefined) return 'missing';
  const isNamesake = name === snapshot.metadata.name && namespace === snapshot.metadata.namespace;
  if (isNamesake) return 'missing';
  const lookup = ask.get('VolumeSnapshot', namespace, name, `whether volumesnapshot/${name} still needs its content`);
  return lookup.state === 'found' && uid && uid !== lookup.object.metadata.uid ? 'missing' : lookup.state;
}

function rebindFix(content: SnapshotContent, { metadata: { name, namespace } }: VolumeSnapshot, owner: string): Fix {
  const isGone = owner === 'missing';
  return steps(
    `${isGone ? 'Reserve the content for this snapshot' : 'If no other snapshot needs the content, reserve it for this one'}: ` +
      'set its name and namespace and clear the uid, which the snapshot controller fills in. ' +
      'It then becomes ready within 5 minutes.',
    [patchCommand(content, { spec: { volumeSnapshotRef: { name, namespace, uid: null } } })],
    isGone ? 'safe' : 'disruptive',
  );
}

/** The content could not be read, and the controller reports that it belongs to another snapshot. */
function explainUnread(s: SnapshotCase, said: Evidence): Explanation | undefined {
  const { subject: snapshot, contentName = '' } = s;
  if (snapshot.kind !== 'VolumeSnapshot' || s.contentLookup?.state !== 'unknown') return undefined;
  const content = { kind: 'VolumeSnapshotContent' as const, metadata: { name: contentName } };
  return {
    confidence: 'likely',
    summary:
      `VolumeSnapshotContent "${contentName}", which ${objectText(snapshot)} names, is reserved for another ` +
      'snapshot, as the snapshot controller reports. The content itself could not be read.',
    evidence: [said],
    fix: [rebindFix(content, snapshot, 'unknown')],
  };
}

/** The controller sets the uid at its first look at both; after this long, something keeps it from writing. */
const bindSeconds = 120;

/**
 * The content names this snapshot and waits for its uid, which the snapshot controller writes (checkandBindSnapshotContent).
 * It reports only that the two are not bound correctly; the refusal of the API server is in its log.
 */
function explainHalfBound(
  s: SnapshotCase,
  content: SnapshotContent,
  snapshot: VolumeSnapshot,
  said: Evidence | undefined,
): Explanation | undefined {
  const isOpen = !content.spec?.volumeSnapshotRef?.uid && snapshot.metadata.uid !== undefined;
  if (!isOpen || s.secondsSince(content.metadata.creationTimestamp) < bindSeconds) return undefined;
  const account = accountOfSnapshotController(s.ask);
  const missing =
    account &&
    missingRights(s.ask, account, [
      { verbs: ['update', 'patch'], group: 'snapshot.storage.k8s.io', resource: 'volumesnapshotcontents' },
    ]);
  if (!missing && !said) return undefined;
  const isReady = content.status?.readyToUse === true;
  return {
    confidence: 'likely',
    summary:
      `The snapshot controller has not bound ${objectText(snapshot)} to its VolumeSnapshotContent "${content.metadata.name}": ` +
      `the content ${isReady ? 'is ready and ' : ''}names this snapshot, but the uid that the controller has to write there is not set. ` +
      (missing ? sentence(capitalise(missingWords(missing))) : 'Its log has the reason, often a right that it lacks.'),
    evidence: [
      field(content, 'spec.volumeSnapshotRef.uid'),
      ...(isReady ? [field(content, 'status.readyToUse')] : []),
      ...(said ? [said] : []),
      ...(missing ? missingEvidence(missing) : []),
    ],
    fix: missing
      ? [addRights(missing, 'the snapshot controller', 'The controller binds the snapshot at its next try.')]
      : [findMissingRight(s, account)],
  };
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function misboundEvent({ subject, ask }: SnapshotCase): Evidence | undefined {
  const said = newestMatch(ask.eventsOf(subject).items, 'SnapshotMisbound', /^/);
  return said && eventSaid(subject, said.event);
}

/** The controller reports the refusal in its log only. */
function findMissingRight(s: SnapshotCase, account: Account | undefined): Fix {
  const [log] = snapshotControllerLogs(findSnapshotController(s.ask));
  const name = `system:serviceaccount:${account?.namespace ?? 'PLACEHOLDER_NAMESPACE'}:${account?.name ?? 'snapshot-controller'}`;
  return steps(
    'Give the snapshot controller the right to write contents: if the first line prints "no", apply the RBAC manifests of its release again, and it binds the snapshot at its next try. Otherwise the log names what stops it.' +
      (account ? '' : ' PLACEHOLDER_NAMESPACE is where the snapshot controller runs.'),
    [
      `kubectl auth can-i update volumesnapshotcontents.snapshot.storage.k8s.io --as=${shellWord(name)}`,
      log?.command ?? 'kubectl -n PLACEHOLDER_NAMESPACE logs deploy/snapshot-controller --since=1h',
    ],
  );
}
