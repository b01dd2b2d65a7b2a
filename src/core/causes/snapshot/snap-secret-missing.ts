import { newestMatch } from '../../graph/events.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import { nearestName } from '../../kube/names.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, eventSaid, field, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { createSourceCommand } from '../lib/create-source.ts';
import { keeperNote } from '../lib/managed-by.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';
import { finishDeletion, keepData } from './deletion-fixes.ts';
import { retryNow, retryText, takenSoon } from './retry.ts';
import { deletionSecret, secretKeys, secretOfClass, secretOfContent } from './snapshot-secret.ts';
import type { SecretCall, SecretName } from './snapshot-secret.ts';
import { longestRetrySeconds, matchError, ruleForBoth } from './snapshot-rule.ts';
import { deletionSecretText, secretInvalidTexts, secretMissingTexts } from '../lib/driver-error/sentences/snapshots.ts';

/** GetCredentials of the csi-snapshotter: a secret that the class or the content names must exist. */
export const snapSecretMissing = ruleForBoth({
  cause: 'snap-secret-missing',
  severity: 'blocking',
  explain: explainSecret,
});

export function explainSecret(s: SnapshotCase): Explanation | undefined {
  const call = s.isPreProvisioned ? 'snapshotter-list' : 'snapshotter';
  const secret = (s.isPreProvisioned ? undefined : secretOfContent(s)) ?? secretOfClass(s, call);
  if (secret === 'invalid') return explainInvalid(s, call);
  const said = matchError(s, secretMissingTexts)?.evidence;
  const purpose = s.isPreProvisioned ? 'looking up snapshots' : 'taking snapshots';
  return secret ? explainMissing(s, secret, purpose, said) : said && explainUnreadClass(s, said);
}

export const snapSecretMissingOnDelete = ruleForBoth({
  cause: 'snap-secret-missing',
  severity: 'blocking',
  stage: 'delete',
  explain(s) {
    const secret = s.content?.metadata.deletionTimestamp === undefined ? undefined : secretOfContent(s);
    const said = deletionError(s);
    const found = secret && explainMissing(s, secret, 'deleting snapshots', said);
    return found && { ...found, fix: [...finishDeletion(found.fix, s.content), ...keepData(s.content)] };
  },
});

function deletionError({ content, ask }: SnapshotCase): Evidence | undefined {
  if (!content) return undefined;
  const said = newestMatch(ask.eventsOf(content).items, 'SnapshotDeleteError', deletionSecretText);
  return said && eventSaid(content, said.event);
}

function explainMissing(
  s: SnapshotCase,
  secret: SecretName,
  purpose: string,
  said: Evidence | undefined,
): Explanation | undefined {
  const { name, namespace } = secret;
  const why = `whether secret ${namespace}/${name}, which is needed for ${purpose}, exists`;
  const lookup = s.ask.get('Secret', namespace, name, why);
  if (lookup.state === 'found') return said && explainCreatedSince(s, lookup.object, said);
  if (lookup.state === 'unknown' && !said) return undefined;
  const isMissing = lookup.state === 'missing';
  const state = isMissing ? 'does not exist' : 'could not be read by the csi-snapshotter';
  return {
    confidence: isMissing ? 'certain' : 'likely',
    about: `${namespace}/${name}`,
    summary:
      `Secret "${name}" in namespace ${namespace}, which ${namerText(s, secret)} names for ${purpose}, ` +
      `${state}.${nearText(nearSecret(s, secret))}`,
    evidence: [...secret.evidence, ...(isMissing ? [absent('Secret', name, namespace)] : []), ...(said ? [said] : [])],
    fix: [...nameOther(s, secret), createSecret(secret)],
  };
}

function namerText(s: SnapshotCase, { evidence: [first] }: SecretName): string {
  return first.object.kind === 'VolumeSnapshotContent'
    ? `VolumeSnapshotContent "${first.object.name}"`
    : `VolumeSnapshotClass "${s.className ?? ''}"`;
}

/** The Secret was created after the csi-snapshotter last missed it. */
function explainCreatedSince(s: SnapshotCase, secret: ObjectOf<'Secret'>, said: Evidence): Explanation | undefined {
  const { name, namespace, creationTimestamp } = secret.metadata;
  const created = parseTime(creationTimestamp);
  const missed = parseTime(said.at);
  const isSince = created !== undefined && missed !== undefined && created > missed;
  if (!isSince || s.secondsSince(creationTimestamp) >= longestRetrySeconds) return undefined;
  return {
    severity: 'info',
    about: `${namespace ?? ''}/${name}`,
    summary:
      `Secret "${name}" in namespace ${namespace ?? ''} exists now; ` +
      `it was created after the csi-snapshotter last missed it. ${retryText(s)}`,
    evidence: [said, field(secret, 'metadata.creationTimestamp')],
    fix: [retryNow(s.content ?? s.subject)],
  };
}

function createSecret({ name, namespace }: SecretName): Fix {
  return steps(
    `Create the Secret with the keys that the driver's documentation asks for (PLACEHOLDER_KEY, ` +
      'PLACEHOLDER_FILE; a file keeps its content out of the shell history). ' +
      'Where an operator manages the storage, such as Rook, it creates the Secret once the storage is ready: ' +
      'repair that instead. The csi-snapshotter retries within 5 minutes.',
    [createSourceCommand('Secret', namespace, name)],
  );
}

/** A Secret of nearly that name in the same namespace, if any was read. */
function nearSecret({ ask }: SnapshotCase, { name, namespace }: SecretName): string | undefined {
  const names = ask
    .seen('Secret')
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name);
  return nearestName(name, names);
}

function nearText(near: string | undefined): string {
  return near === undefined ? '' : ` The closest match is "${near}".`;
}

/** The content keeps the names that were resolved when it was created, and they can be changed there. */
function nameOther(s: SnapshotCase, secret: SecretName): Fix[] {
  const { content } = s;
  const near = nearSecret(s, secret);
  if (near === undefined) return [];
  if (secret.evidence[0].object.kind === 'VolumeSnapshotClass') return nameOtherInClass(s, secret, near);
  if (!content || secret.evidence[0].object.kind !== 'VolumeSnapshotContent') return [];
  return [
    steps(
      `If Secret "${near}" is meant, name it in the content; correct the class for later snapshots, too. ` +
        'The csi-snapshotter retries at once.',
      [kubectl('annotate', content, `${deletionSecret}-name=${shellWord(near)} --overwrite`)],
    ),
  ];
}

/** The content has no names of its own, so the class is read again at each attempt. */
function nameOtherInClass(
  { snapshotClass, isPreProvisioned }: SnapshotCase,
  { name }: SecretName,
  near: string,
): Fix[] {
  const [key] = secretKeys(isPreProvisioned ? 'snapshotter-list' : 'snapshotter');
  if (!snapshotClass || snapshotClass.parameters?.[key] !== name) return [];
  return [
    steps(
      `If Secret "${near}" is meant, name it in the class: it exists in that namespace. The csi-snapshotter retries ` +
        `within 5 minutes.${keeperNote(snapshotClass)}`,
      [patchCommand(snapshotClass, { parameters: { [key]: near } })],
    ),
  ];
}

/** The class could not be read, and the csi-snapshotter reports that its secret could not be read. */
function explainUnreadClass(s: SnapshotCase, said: Evidence): Explanation | undefined {
  if (s.classLookup?.state !== 'unknown') return undefined;
  const className = s.className ?? '';
  return {
    confidence: 'likely',
    summary:
      `The Secret that VolumeSnapshotClass "${className}" names could not be read by the csi-snapshotter. ` +
      'The class itself could not be read here.',
    evidence: [said],
    fix: [
      steps(
        'Create the Secret that the class names (PLACEHOLDER_NAMESPACE, PLACEHOLDER_SECRET: ' +
          `the first line shows them), with the keys that the driver's documentation asks for (PLACEHOLDER_KEY, ` +
          'PLACEHOLDER_FILE). The csi-snapshotter retries within 5 minutes.',
        [
          `kubectl get volumesnapshotclass ${shellWord(className)} -o jsonpath='{.parameters}'`,
          createSourceCommand('Secret', 'PLACEHOLDER_NAMESPACE', 'PLACEHOLDER_SECRET'),
        ],
      ),
    ],
  };
}

/** No secret can have such a name. */
function explainInvalid(s: SnapshotCase, call: SecretCall): Explanation | undefined {
  const { snapshotClass } = s;
  if (!snapshotClass || s.isGroupMember) return undefined;
  const { name } = snapshotClass.metadata;
  return {
    about: name,
    summary:
      `VolumeSnapshotClass "${name}" names its Secret incompletely or with a placeholder that is not allowed, ` +
      'so none can be found. It takes a name and a namespace; ' +
      'only the names of the snapshot and the content are filled in.',
    evidence: invalidEvidence(s, snapshotClass, call),
    fix: [correctClass(snapshotClass, call)],
  };
}

function invalidEvidence(s: SnapshotCase, snapshotClass: SnapshotClass, call: SecretCall): EvidenceList {
  const [name, namespace] = secretKeys(call);
  const said = matchError(s, secretInvalidTexts);
  return [
    field(snapshotClass, `parameters[${name}]`, snapshotClass.parameters?.[name] ?? 'not set'),
    field(snapshotClass, `parameters[${namespace}]`, snapshotClass.parameters?.[namespace] ?? 'not set'),
    ...(said ? [said.evidence] : []),
  ];
}

/** The CRD of the class has no immutable fields. */
function correctClass(snapshotClass: SnapshotClass, call: SecretCall): Fix {
  const [nameKey, namespaceKey] = secretKeys(call);
  const isPlain = (value: string | undefined): boolean => Boolean(value) && !value?.includes('$');
  const { [nameKey]: name, [namespaceKey]: namespace } = snapshotClass.parameters ?? {};
  const parameters = {
    ...(!isPlain(name) && { [nameKey]: 'PLACEHOLDER_SECRET' }),
    ...(!isPlain(namespace) && { [namespaceKey]: 'PLACEHOLDER_NAMESPACE' }),
  };
  return steps(
    'Correct the parameters of the class: PLACEHOLDER_SECRET and PLACEHOLDER_NAMESPACE are the Secret with ' +
      `the credentials for snapshots. ${takenSoon}${keeperNote(snapshotClass)}`,
    [patchCommand(snapshotClass, { parameters })],
  );
}
