import { newestMatch } from '../../graph/events.ts';
import type { Evidence } from '../../report/report.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { errorSaid, ruleForBoth } from './snapshot-rule.ts';

const prefix = 'csi.storage.k8s.io/';
const deletionSecret = 'snapshot.storage.kubernetes.io/deletion-secret';

interface SecretName {
  readonly name: string;
  readonly namespace: string;
  readonly evidence: readonly [Evidence, ...Evidence[]];
}

/** GetCredentialsFromAnnotation: what was resolved when the content was made counts, for creating and for deleting. */
function secretOfContent({ content }: SnapshotCase): SecretName | undefined {
  const name = content?.metadata.annotations?.[`${deletionSecret}-name`];
  const namespace = content?.metadata.annotations?.[`${deletionSecret}-namespace`];
  if (!content || !name || !namespace) return undefined;
  return {
    name,
    namespace,
    evidence: [
      field(content, `metadata.annotations[${deletionSecret}-name]`, name),
      field(content, `metadata.annotations[${deletionSecret}-namespace]`, namespace),
    ],
  };
}

/** GetSecretReference: both keys or neither, with a few names to fill in; undefined where it is not used or not resolvable. */
function secretOfClass(s: SnapshotCase, call: 'snapshotter' | 'snapshotter-list'): SecretName | 'invalid' | undefined {
  const { snapshotClass } = s;
  const keys = [`${prefix}${call}-secret-name`, `${prefix}${call}-secret-namespace`] as const;
  const [name, namespace] = keys.map((key) => snapshotClass?.parameters?.[key]);
  if (!snapshotClass || (name === undefined && namespace === undefined)) return undefined;
  if (!name || !namespace) return 'invalid';
  const resolved = [name, namespace].map((template, index) => expand(s, template, index === 0));
  const [resolvedName, resolvedNamespace] = resolved;
  if (!resolvedName || !resolvedNamespace) return 'invalid';
  return {
    name: resolvedName,
    namespace: resolvedNamespace,
    evidence: [
      field(snapshotClass, `parameters[${keys[0]}]`, name),
      field(snapshotClass, `parameters[${keys[1]}]`, namespace),
    ],
  };
}

/** The name of the snapshot may stand in the secret's name only, so that nobody points at another namespace. */
function expand(s: SnapshotCase, template: string, isName: boolean): string | undefined {
  let isKnown = true;
  const text = template.replaceAll(/\$\{([^}]*)\}/g, (_match, token: string) => {
    const value =
      token === 'volumesnapshotcontent.name'
        ? s.contentName
        : token === 'volumesnapshot.namespace'
          ? s.snapshot?.metadata.namespace
          : token === 'volumesnapshot.name' && isName
            ? s.snapshot?.metadata.name
            : undefined;
    isKnown &&= value !== undefined;
    return value ?? '';
  });
  return isKnown ? text : undefined;
}

function explainMissing(
  s: SnapshotCase,
  secret: SecretName,
  purpose: string,
  said: { readonly evidence: Evidence } | undefined,
): Explanation | undefined {
  const lookup = s.ask.get(
    'Secret',
    secret.namespace,
    secret.name,
    `whether secret ${secret.namespace}/${secret.name}, with which ${purpose}, exists`,
  );
  if (lookup.state === 'found' || (lookup.state === 'unknown' && !said)) return undefined;
  return {
    confidence: lookup.state === 'missing' ? 'certain' : 'likely',
    about: `${secret.namespace}/${secret.name}`,
    summary: `secret ${secret.name} in namespace ${secret.namespace}, with which ${purpose}, ${lookup.state === 'missing' ? 'does not exist' : 'could not be read by the csi-snapshotter'}`,
    evidence: [
      ...secret.evidence,
      ...(lookup.state === 'missing' ? [absent('Secret', secret.name, secret.namespace)] : []),
      ...(said ? [said.evidence] : []),
    ],
    fix: [
      fix(
        'create the secret again as the documentation of the driver says: the rest goes on by itself',
        `kubectl ${inNamespace(secret.namespace)}get secret ${shellWord(secret.name)}`,
      ),
    ],
  };
}

export const snapSecretMissing = ruleForBoth({
  cause: 'snap-secret-missing',
  severity: 'blocking',
  explain(s) {
    const call = s.isPreProvisioned ? 'snapshotter-list' : 'snapshotter';
    const secret = (s.isPreProvisioned ? undefined : secretOfContent(s)) ?? secretOfClass(s, call);
    if (secret === 'invalid') return explainInvalid(s, call);
    const said = errorSaid(
      s,
      /cannot get credentials for snapshot content|failed to get credentials|error getting secret/i,
    );
    if (secret)
      return explainMissing(
        s,
        secret,
        s.isPreProvisioned ? 'the snapshot is looked for' : 'the snapshot is taken',
        said,
      );
    // One who may not read the class still hears that the secret could not be read.
    if (!said || s.classLookup?.state !== 'unknown') return undefined;
    return {
      confidence: 'likely',
      summary: `the secret that volumesnapshotclass/${s.className ?? ''} names could not be read by the csi-snapshotter`,
      evidence: [said.evidence],
      fix: [
        fix(
          'see which secret the class names, and whether it exists',
          `kubectl get volumesnapshotclass ${shellWord(s.className ?? '')} -o yaml`,
        ),
      ],
    };
  },
});

export const snapSecretMissingOnDelete = ruleForBoth({
  cause: 'snap-secret-missing',
  severity: 'blocking',
  stage: 'delete',
  explain(s) {
    const secret = s.content?.metadata.deletionTimestamp === undefined ? undefined : secretOfContent(s);
    const said =
      s.content &&
      newestMatch(s.ask.eventsOf(s.content).items, 'SnapshotDeleteError', /Failed to get snapshot credentials/);
    return (
      secret &&
      explainMissing(
        s,
        secret,
        'the snapshot is deleted on the storage',
        said && s.content ? { evidence: eventSaid(s.content, said.event) } : undefined,
      )
    );
  },
});

/** No secret can be found by such a name; the parameters of a class cannot be changed. */
function explainInvalid(s: SnapshotCase, call: string): Explanation | undefined {
  const { snapshotClass } = s;
  if (!snapshotClass || s.isGroupMember) return undefined;
  const keys = [`${prefix}${call}-secret-name`, `${prefix}${call}-secret-namespace`];
  const [name = '', namespace = ''] = keys;
  const said = errorSaid(s, /secrets specified|error resolving value|is not a valid (?:secret|namespace) name/);
  return {
    about: snapshotClass.metadata.name,
    summary: `volumesnapshotclass/${snapshotClass.metadata.name} names its secret wrongly, so that none can be found: it takes both a name and a namespace, with no more than the names of the snapshot and the content to fill in`,
    evidence: [
      field(snapshotClass, `parameters[${name}]`, snapshotClass.parameters?.[name] ?? 'not set'),
      field(snapshotClass, `parameters[${namespace}]`, snapshotClass.parameters?.[namespace] ?? 'not set'),
      ...(said ? [said.evidence] : []),
    ],
    fix: [
      fix(
        `make class ${snapshotClass.metadata.name} again with the right parameters: the snapshot then goes on by itself`,
        `kubectl get volumesnapshotclass ${shellWord(snapshotClass.metadata.name)} -o yaml`,
        'disruptive',
      ),
    ],
  };
}
