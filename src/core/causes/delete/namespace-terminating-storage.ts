import type { Claim, Condition } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import { field, fix, note, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation } from '../lib/rule.ts';
import { nameSome } from './claim-holders.ts';

type Subject = ObjectCase<'Namespace'>;

const actSeconds = 30;
const storageFinalizer =
  /pvc-protection|cloning-protection|as-source-protection|bound-protection|in-group-protection|populate-target-protection|snapshot\.storage|storage\.k8s\.io/;
const storageResource = /persistentvolumeclaims|volumesnapshots|volumegroupsnapshots|csistoragecapacities/;
const storageGroup = /([a-z0-9.-]*(?:snapshot|storage|csi|populator)[a-z0-9.-]*)\/v\w+/;

/**
 * The namespace goes when all that is in it is gone (namespaced_resources_deleter). `rules` are those that explain a
 * claim that does not go: the namespace waits for the claim, and the claim for what they say.
 */
export function namespaceTerminatingStorage(rules: readonly ClaimRule[]) {
  return objectRule('Namespace', {
    cause: 'namespace-terminating-storage',
    stage: 'delete',
    severity: 'blocking',
    explain(n) {
      const isLeaving = n.isTerminating || n.object.status?.phase === 'Terminating';
      if (!isLeaving) return undefined;
      const found = heldByClaims(n, rules) ?? heldByOthers(n) ?? hiddenByDiscovery(n);
      return found && n.secondsSince(n.object.metadata.deletionTimestamp) < actSeconds
        ? { ...found, severity: 'info' }
        : found;
    },
  });
}

function trueCondition(n: Subject, type: string): Condition | undefined {
  const condition = conditionOf(n.object.status?.conditions, type);
  return condition?.status === 'True' ? condition : undefined;
}

function remaining(n: Subject): Condition[] {
  const finalizers = trueCondition(n, 'NamespaceFinalizersRemaining');
  const content = trueCondition(n, 'NamespaceContentRemaining');
  return [
    ...(finalizers && storageFinalizer.test(finalizers.message ?? '') ? [finalizers] : []),
    ...(content && storageResource.test(content.message ?? '') ? [content] : []),
  ];
}

function conditionEvidence(n: Subject, conditions: readonly Condition[]): Evidence[] {
  return conditions.map((condition) =>
    field(
      n.object,
      `status.conditions[${condition.type ?? ''}].message`,
      condition.message ?? '',
      condition.lastTransitionTime,
    ),
  );
}

const neverPatch: Fix = fix(
  'do not patch the finalizers of the namespace: it would leave volumes behind that nobody can reach',
  'kubectl get persistentvolumes',
);

function heldByClaims(n: Subject, rules: readonly ClaimRule[]): Explanation | undefined {
  const { items } = n.ask.list('PersistentVolumeClaim', n.name, `which claims keep namespace ${n.name}`);
  const claims = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (claims.length === 0) return undefined;
  const explained = claims.slice(0, 5).map((claim) => ({ claim, why: explainClaim(n, claim, rules) }));
  const first = explained.find(({ why }) => why && why.severity !== 'info') ?? explained.find(({ why }) => why);
  const held = first?.claim ?? (claims[0] as Claim);
  const why = first?.why;
  return {
    ...(why?.severity === 'info' && { severity: 'info' as const }),
    confidence: why?.confidence ?? 'certain',
    summary: `namespace ${n.name} is being deleted and still has ${claims.length === 1 ? `pvc/${held.metadata.name}` : `${claims.length} claims (${nameSome(claims.map(({ metadata }) => `pvc/${metadata.name}`))})`}: ${why?.summary ?? `held by ${(held.metadata.finalizers ?? []).join(', ') || 'no finalizer'}`}`,
    evidence: [
      field(n.object, 'status.phase', n.object.status?.phase ?? 'not set'),
      ...conditionEvidence(n, remaining(n)),
      ...(why?.evidence ?? [field(held, 'metadata.finalizers', (held.metadata.finalizers ?? []).join(', ') || 'none')]),
    ],
    fix: [
      fix(
        'mend the claim: the namespace goes by itself after it',
        `kubectl csi why pvc/${shellWord(held.metadata.name)} -n ${shellWord(n.name)}`,
      ),
      ...(why?.fix ?? []),
      neverPatch,
    ],
  };
}

function explainClaim(n: Subject, { metadata }: Claim, rules: readonly ClaimRule[]): Explanation | undefined {
  const c = new ClaimCase(n.ask, n.name, metadata.name);
  if (!isPresent(c)) return undefined;
  for (const rule of rules) {
    const explanation = rule.severity === 'blocking' ? rule.explain(c) : undefined;
    if (explanation) return explanation;
  }
  return undefined;
}

/** Snapshots and other storage objects, or claims that could not be read: the server says how many are left. */
function heldByOthers(n: Subject): Explanation | undefined {
  const conditions = remaining(n);
  const [first] = conditions;
  if (!first) return undefined;
  const isSnapshots = conditions.some(({ message = '' }) => /snapshot/.test(message));
  const snapshots = isSnapshots
    ? n.ask.list('VolumeSnapshot', n.name, `which snapshots keep namespace ${n.name}`).items
    : [];
  const names = snapshots.map(({ metadata }) => metadata.name);
  const words = conditions
    .map(({ message = '' }) =>
      message.replace(/^Some (?:content in the namespace has finalizers remaining|resources are remaining): /, ''),
    )
    .join('; ');
  return {
    summary: `namespace ${n.name} is being deleted and still has storage objects: ${names.length > 0 ? nameSome(names.map((name) => `volumesnapshot/${name}`)) : words}`,
    evidence: [
      field(n.object, 'status.phase', n.object.status?.phase ?? 'not set'),
      ...conditionEvidence(n, conditions),
      ...snapshots
        .slice(0, 3)
        .map((snapshot) =>
          note(snapshot, `held by ${(snapshot.metadata.finalizers ?? []).join(', ') || 'no finalizer'}`),
        ),
    ],
    fix: [
      names.length > 0
        ? fix(
            'mend the snapshot: the namespace goes by itself after it',
            `kubectl csi why vs/${shellWord(names[0] ?? '')} -n ${shellWord(n.name)}`,
          )
        : fix(
            'see what is left, and what holds it',
            `kubectl -n ${shellWord(n.name)} get pvc,volumesnapshots -o custom-columns=KIND:.kind,NAME:.metadata.name,FINALIZERS:.metadata.finalizers`,
          ),
      neverPatch,
    ],
  };
}

/** A group whose server does not answer cannot be emptied, and so the whole deletion does not start. */
function hiddenByDiscovery(n: Subject): Explanation | undefined {
  const condition = trueCondition(n, 'NamespaceDeletionDiscoveryFailure');
  const group = storageGroup.exec(condition?.message ?? '')?.[1];
  if (!condition || group === undefined) return undefined;
  return {
    about: group,
    summary: `namespace ${n.name} cannot be deleted, since the API group ${group} does not answer and nobody knows what is left in it`,
    evidence: conditionEvidence(n, [condition]) as [Evidence],
    fix: [
      fix(
        'bring the server of that group back, or remove its APIService if it is gone for good',
        `kubectl get apiservices | grep ${shellWord(group)}`,
      ),
      neverPatch,
    ],
  };
}
