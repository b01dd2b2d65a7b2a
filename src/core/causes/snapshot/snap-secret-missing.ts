import { newestMatch } from '../../graph/events.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { secretKeys, secretOfClass, secretOfContent } from './snapshot-secret.ts';
import type { SecretCall, SecretName } from './snapshot-secret.ts';
import { matchError, ruleForBoth } from './snapshot-rule.ts';

/** GetCredentials of the csi-snapshotter: a secret that the class or the content names must exist. */
export const snapSecretMissing = ruleForBoth({
  cause: 'snap-secret-missing',
  severity: 'blocking',
  explain(s) {
    const call = s.isPreProvisioned ? 'snapshotter-list' : 'snapshotter';
    const secret = (s.isPreProvisioned ? undefined : secretOfContent(s)) ?? secretOfClass(s, call);
    if (secret === 'invalid') return explainInvalid(s, call);
    const said = matchError(
      s,
      /cannot get credentials for snapshot content|failed to get credentials|error getting secret/i,
    )?.evidence;
    const purpose = s.isPreProvisioned ? 'the snapshot is looked for' : 'the snapshot is taken';
    return secret ? explainMissing(s, secret, purpose, said) : said && explainUnreadClass(s, said);
  },
});

export const snapSecretMissingOnDelete = ruleForBoth({
  cause: 'snap-secret-missing',
  severity: 'blocking',
  stage: 'delete',
  explain(s) {
    const secret = s.content?.metadata.deletionTimestamp === undefined ? undefined : secretOfContent(s);
    const said = deletionError(s);
    return secret && explainMissing(s, secret, 'the snapshot is deleted on the storage', said);
  },
});

function deletionError({ content, ask }: SnapshotCase): Evidence | undefined {
  if (!content) return undefined;
  const said = newestMatch(ask.eventsOf(content).items, 'SnapshotDeleteError', /Failed to get snapshot credentials/);
  return said && eventSaid(content, said.event);
}

function explainMissing(
  s: SnapshotCase,
  secret: SecretName,
  purpose: string,
  said: Evidence | undefined,
): Explanation | undefined {
  const { name, namespace } = secret;
  const lookup = s.ask.get(
    'Secret',
    namespace,
    name,
    `whether secret ${namespace}/${name}, with which ${purpose}, exists`,
  );
  if (lookup.state === 'found' || (lookup.state === 'unknown' && !said)) return undefined;
  const isMissing = lookup.state === 'missing';
  return {
    confidence: isMissing ? 'certain' : 'likely',
    about: `${namespace}/${name}`,
    summary: `secret ${name} in namespace ${namespace}, with which ${purpose}, ${isMissing ? 'does not exist' : 'could not be read by the csi-snapshotter'}`,
    evidence: [...secret.evidence, ...(isMissing ? [absent('Secret', name, namespace)] : []), ...(said ? [said] : [])],
    fix: [
      fix(
        'create the secret again as the documentation of the driver says: the rest goes on by itself',
        `kubectl ${inNamespace(namespace)}get secret ${shellWord(name)}`,
      ),
    ],
  };
}

/** The class could not be read, and the csi-snapshotter reports that its secret could not be read. */
function explainUnreadClass(s: SnapshotCase, said: Evidence): Explanation | undefined {
  if (s.classLookup?.state !== 'unknown') return undefined;
  const className = s.className ?? '';
  return {
    confidence: 'likely',
    summary: `the secret that volumesnapshotclass/${className} names could not be read by the csi-snapshotter`,
    evidence: [said],
    fix: [
      fix(
        'see which secret the class names, and whether it exists',
        `kubectl get volumesnapshotclass ${shellWord(className)} -o yaml`,
      ),
    ],
  };
}

/** No secret can have such a name, and the parameters of a class cannot be changed. */
function explainInvalid(s: SnapshotCase, call: SecretCall): Explanation | undefined {
  const { snapshotClass } = s;
  if (!snapshotClass || s.isGroupMember) return undefined;
  const { name } = snapshotClass.metadata;
  return {
    about: name,
    summary: `volumesnapshotclass/${name} names its secret wrongly, so that none can be found: it takes both a name and a namespace, with no more than the names of the snapshot and the content to fill in`,
    evidence: invalidEvidence(s, snapshotClass, call),
    fix: [remakeClass(name)],
  };
}

function invalidEvidence(s: SnapshotCase, snapshotClass: SnapshotClass, call: SecretCall): EvidenceList {
  const [name, namespace] = secretKeys(call);
  const said = matchError(s, /secrets specified|error resolving value|is not a valid (?:secret|namespace) name/);
  return [
    field(snapshotClass, `parameters[${name}]`, snapshotClass.parameters?.[name] ?? 'not set'),
    field(snapshotClass, `parameters[${namespace}]`, snapshotClass.parameters?.[namespace] ?? 'not set'),
    ...(said ? [said.evidence] : []),
  ];
}

function remakeClass(name: string): Fix {
  return fix(
    `make class ${name} again with the right parameters: the snapshot then goes on by itself`,
    `kubectl get volumesnapshotclass ${shellWord(name)} -o yaml`,
    'disruptive',
  );
}
