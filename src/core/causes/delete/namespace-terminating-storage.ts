import type { Claim, Condition, ObjectOf } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import { field, note, shellWord } from '../../facts/evidence.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { ObjectCase } from '../../facts/object-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation, Rule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { nameSome } from './claim-holders.ts';
import { heldByOperator } from './namespace-operator.ts';
import {
  snapshotsRemainText,
  storageFinalizerTexts,
  storageGroupText,
  storageResourceTexts,
} from '../lib/driver-error/sentences/namespace-controller.ts';

type Subject = ObjectCase<'Namespace'>;
type VolumeSnapshot = ObjectOf<'VolumeSnapshot'>;

const actSeconds = 30;

/**
 * A namespace is deleted when everything in it is gone (namespaced_resources_deleter). `rules` explain why a claim is
 * not gone yet: the namespace waits for the claim, and the claim for what they find.
 */
export function namespaceTerminatingStorage(rules: readonly ClaimRule[], snapshotRules: readonly Rule[]) {
  return objectRule('Namespace', {
    cause: 'namespace-terminating-storage',
    stage: 'delete',
    severity: 'blocking',
    explain(n) {
      const isLeaving = n.isTerminating || n.object.status?.phase === 'Terminating';
      if (!isLeaving) return undefined;
      const found =
        heldByClaims(n, rules) ?? heldByOthers(n, snapshotRules) ?? hiddenByDiscovery(n) ?? heldByOperator(n);
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

/** The conditions in which the namespace controller counts storage objects that are left. */
function remaining(n: Subject): Condition[] {
  const finalizers = trueCondition(n, 'NamespaceFinalizersRemaining');
  const content = trueCondition(n, 'NamespaceContentRemaining');
  return [
    ...(finalizers && storageFinalizerTexts.test(finalizers.message ?? '') ? [finalizers] : []),
    ...(content && storageResourceTexts.test(content.message ?? '') ? [content] : []),
  ];
}

/** `Namespace shop was deleted 60m ago and still has`, to begin a sentence. */
function startWords(n: Subject): string {
  const since = parseTime(n.object.metadata.deletionTimestamp);
  return `Namespace ${n.name} was deleted${since === undefined ? '' : ` ${ageText(since, n.now)} ago`} and still has`;
}

function phaseEvidence(n: Subject): Evidence {
  return field(n.object, 'status.phase', n.object.status?.phase ?? 'not set');
}

function conditionEvidence(n: Subject, { type, message, lastTransitionTime }: Condition): Evidence {
  return field(n.object, `status.conditions[${type ?? ''}].message`, message ?? '', lastTransitionTime);
}

function finalizersText({ metadata }: Claim | VolumeSnapshot): string | undefined {
  return (metadata.finalizers ?? []).join(', ') || undefined;
}

function heldByClaims(n: Subject, rules: readonly ClaimRule[]): Explanation | undefined {
  const { items } = n.ask.list('PersistentVolumeClaim', n.name, `which claims keep namespace ${n.name}`);
  const claims = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const [firstClaim] = claims;
  if (!firstClaim) return undefined;
  const explained = claims.slice(0, 5).map((claim) => ({ claim, why: explainClaim(n, claim, rules) }));
  const first = explained.find(({ why }) => why && why.severity !== 'info') ?? explained.find(({ why }) => why);
  const held = first?.claim ?? firstClaim;
  const why = first?.why;
  return {
    severity: why?.severity === 'info' ? 'info' : 'blocking',
    confidence: why?.confidence ?? 'certain',
    summary:
      `${startWords(n)} ${claimsWords(claims, held)}. ` +
      `${why?.summary ?? `pvc/${held.metadata.name} is held by finalizer ${finalizersText(held) ?? 'none'}.`}`,
    evidence: [
      phaseEvidence(n),
      ...remaining(n).map((condition) => conditionEvidence(n, condition)),
      ...(why?.evidence ?? [field(held, 'metadata.finalizers', finalizersText(held) ?? 'none')]),
    ],
    fix: claimFixes(n, held, why),
  };
}

function claimsWords(claims: readonly Claim[], held: Claim): string {
  if (claims.length === 1) return `pvc/${held.metadata.name}`;
  return `${claims.length} claims (${nameSome(claims.map(({ metadata }) => `pvc/${metadata.name}`))})`;
}

/** The namespace goes after its last claim. Its own finalizer stays: without it volumes would be left behind. */
function claimFixes(n: Subject, { metadata }: Claim, why: Explanation | undefined): readonly Fix[] {
  if (why) return why.fix;
  return [
    steps(`Find out what holds pvc/${metadata.name}: the namespace goes automatically after it.`, [
      `kubectl csi why ${shellWord(`pvc/${metadata.name}`)} -n ${shellWord(n.name)}`,
    ]),
  ];
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

/**
 * Snapshots and other storage objects, or claims that could not be read: the conditions of the namespace count them.
 */
function heldByOthers(n: Subject, rules: readonly Rule[]): Explanation | undefined {
  const conditions = remaining(n);
  if (conditions.length === 0) return undefined;
  const snapshots = conditions.some(({ message = '' }) => snapshotsRemainText.test(message))
    ? n.ask.list('VolumeSnapshot', n.name, `which snapshots keep namespace ${n.name}`).items
    : [];
  const [snapshot] = snapshots;
  const why = snapshot && explainSnapshot(n, snapshot, rules);
  return {
    ...(why?.severity === 'info' && { severity: 'info' }),
    ...(why?.confidence && { confidence: why.confidence }),
    summary: `${startWords(n)} ${objectsWords(snapshots, conditions)}.${why ? ` ${sentence(why.summary)}` : ''}`,
    evidence: [
      phaseEvidence(n),
      ...conditions.map((condition) => conditionEvidence(n, condition)),
      ...snapshots.slice(0, 3).map((each) => note(each, `held by ${finalizersText(each) ?? 'no finalizer'}`)),
      ...(why?.evidence ?? []),
    ],
    fix: why ? why.fix : [remainderFix(n, snapshot)],
  };
}

function explainSnapshot(n: Subject, snapshot: VolumeSnapshot, rules: readonly Rule[]): Explanation | undefined {
  const subject = new ObjectCase<'VolumeSnapshot'>(n.ask, snapshot);
  for (const rule of rules) {
    const explanation =
      rule.on === 'VolumeSnapshot' && rule.severity === 'blocking' ? rule.explain(subject) : undefined;
    if (explanation) return explanation;
  }
  return undefined;
}

function objectsWords(snapshots: readonly VolumeSnapshot[], conditions: readonly Condition[]): string {
  if (snapshots.length > 0) return nameSome(snapshots.map(({ metadata }) => `volumesnapshot/${metadata.name}`));
  return conditions
    .map(({ message = '' }) =>
      message.replace(/^Some (?:content in the namespace has finalizers remaining|resources are remaining): /, ''),
    )
    .join('; ');
}

function remainderFix(n: Subject, snapshot: VolumeSnapshot | undefined): Fix {
  return snapshot
    ? steps(
        `Let volumesnapshot/${snapshot.metadata.name} be deleted: ` +
          'this line names what holds it, and how to repair that. The namespace goes automatically after it.',
        [`kubectl csi why ${shellWord(`vs/${snapshot.metadata.name}`)} -n ${shellWord(n.name)}`],
      )
    : steps(
        'Find what is left and which finalizers hold it: the namespace goes automatically after the last object. ' +
          'PLACEHOLDER_OBJECT is KIND/NAME from the first line.',
        [
          `kubectl -n ${shellWord(n.name)} get pvc,volumesnapshots -o ` +
            'custom-columns=KIND:.kind,NAME:.metadata.name,FINALIZERS:.metadata.finalizers',
          `kubectl csi why PLACEHOLDER_OBJECT -n ${shellWord(n.name)}`,
        ],
      );
}

/** Discovery of an API group fails, so the group cannot be emptied and the deletion does not proceed. */
function hiddenByDiscovery(n: Subject): Explanation | undefined {
  const condition = trueCondition(n, 'NamespaceDeletionDiscoveryFailure');
  const group = storageGroupText.exec(condition?.message ?? '')?.[1];
  if (!condition || group === undefined) return undefined;
  return {
    about: group,
    summary:
      `Namespace ${n.name} cannot be deleted: API group ${group} does not answer, so the namespace controller ` +
      'does not know what is left in it.',
    evidence: [conditionEvidence(n, condition)],
    fix: [
      steps(
        `Start the server of API group ${group} again, or delete its APIService if it was uninstalled for good. ` +
          'PLACEHOLDER_APISERVICE is the name in the first line that is not Available, and its service is behind ' +
          'it. The deletion then continues automatically.',
        [`kubectl get apiservices | grep -e ${shellWord(group)}`, 'kubectl delete apiservice PLACEHOLDER_APISERVICE'],
        'disruptive',
      ),
    ],
  };
}
