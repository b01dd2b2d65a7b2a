import type { Lookup } from '../../graph/inquiry.ts';
import type { Node, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, inNamespace, note } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import {
  deletedWords,
  isProtected,
  looksUnused,
  policyEvidence,
  protectionSeconds,
  secondsSinceDeletion,
} from './claim-deletion.ts';
import { holdersOf, isFinished, isLeaving, nameSome, nextHolderWords, podNames } from './claim-holders.ts';
import { ephemeralFix, releaseFix } from './claim-release.ts';
import { rescueFix } from './claim-rescue.ts';
import { dataFirst, volumeAtRisk } from './data-first.ts';
import { deletionEvidence, pvcProtection } from './finalizers.ts';
import { policyOf } from './reclaim-policy.ts';
import { stuckPodFixes } from './stuck-pod.ts';

/** How long a pod may outlive its grace period. */
const overdueSeconds = 60;

/** By design: a claim that a pod uses is only marked for deletion. */
export const pvcTerminatingInUse = claimRule({
  cause: 'pvc-terminating-in-use',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    if (!isProtected(c)) return undefined;
    const { items: pods, complete } = holdersOf(c);
    const users = pods.filter((pod) => !isFinished(pod));
    if (users.length > 0) return explainUsers(c, usageOf(c, pods));
    if (pods.length > 0 || complete || looksUnused(c) || secondsSinceDeletion(c) < protectionSeconds) return undefined;
    return explainUnseen(c);
  },
});

/** The pods could not be read: the finalizer is the only evidence. */
function explainUnseen(c: PresentClaim): Explanation {
  return {
    confidence: 'likely',
    summary:
      `${deletedWords(c)} and still has finalizer ${pvcProtection}, so most likely a pod uses it. ` +
      `The pods could not be read.${dataWords(c)}`,
    evidence: [...deletionEvidence(c.claim), ...policyEvidence(c)],
    fix: unseenFixes(c),
  };
}

function unseenFixes(c: PresentClaim): Fix[] {
  const then = volumeAtRisk(c) ? 'The claim then goes, and its volume with the data.' : 'The claim then goes.';
  return dataFirst(
    volumeAtRisk(c),
    [
      steps(
        'Delete the pods that use the claim. ' +
          'PLACEHOLDER_POD is a name after "Used By" in the first line; ' +
          'scale its owner down first, which would recreate it.',
        [
          kubectl('describe', c.claim),
          `kubectl ${inNamespace(c.namespace)}get pod PLACEHOLDER_POD -o yaml > PLACEHOLDER_POD.pod.yaml`,
          `kubectl ${inNamespace(c.namespace)}delete pod PLACEHOLDER_POD`,
        ],
        'disruptive',
      ),
    ],
    then,
  );
}

/** The pods that hold the claim. */
interface Usage {
  readonly pods: readonly Pod[];
  /** Those that have not ended. */
  readonly users: readonly Pod[];
  readonly ended: readonly Pod[];
  /** Those that should have ended by now. */
  readonly overdue: readonly Pod[];
  /** All of them are on their way out, in time. */
  readonly isEnding: boolean;
}

function usageOf(c: PresentClaim, pods: readonly Pod[]): Usage {
  const users = pods.filter((pod) => !isFinished(pod));
  const leaving = users.filter(isLeaving);
  const overdue = leaving.filter((pod) => secondsPast(c, pod) > overdueSeconds);
  const isEnding = leaving.length === users.length && overdue.length === 0 && pods.length === users.length;
  return { pods, users, ended: pods.filter(isFinished), overdue, isEnding };
}

/** The deletionTimestamp of a pod is the moment by which it should be gone. */
function secondsPast(c: PresentClaim, pod: Pod): number {
  const due = parseTime(pod.metadata.deletionTimestamp);
  return due === undefined ? Number.POSITIVE_INFINITY : (c.now - due) / 1000;
}

function explainUsers(c: PresentClaim, usage: Usage): Explanation {
  return {
    severity: usage.isEnding ? 'info' : 'blocking',
    summary: usage.isEnding ? summariseEnding(c, usage) : summariseUse(c, usage),
    evidence: evidenceOf(c, usage),
    fix: fixesFor(c, usage),
  };
}

function summariseEnding(c: PresentClaim, usage: Usage): string {
  const verb = usage.users.length === 1 ? 'has' : 'have';
  return `${deletedWords(c)} and goes as soon as ${userNames(c, usage)} ${verb} ended.${nextHolderWords(c)}${dataWords(c)}`;
}

function summariseUse(c: PresentClaim, usage: Usage): string {
  const verb = usage.users.length === 1 ? 'is' : 'are';
  const design = usage.overdue.length === 0 ? ' This is by design.' : '';
  return (
    `${deletedWords(c)} and stays until ${userNames(c, usage)} ${verb} ` +
    `gone.${design}${endedWords(usage)}${nextHolderWords(c)}${dataWords(c)}`
  );
}

/** Whether the data goes with the claim: the reason to act before the pod ends. */
function dataWords(c: PresentClaim): string {
  if (c.volume?.state !== 'found') return '';
  const policy = policyOf(c.volume.object);
  return policy === 'Retain'
    ? ` Its volume has policy Retain: the data stays.`
    : ` Its volume has policy ${policy}: the data goes when the claim goes.`;
}

function userNames(c: PresentClaim, { users, overdue }: Usage): string {
  return nameSome(users.map((pod) => `pod/${pod.metadata.name} (${stateOf(c, pod, overdue)})`));
}

function endedWords({ ended }: Usage): string {
  if (ended.length === 0) return '';
  return ` ${podNames(ended)} ${ended.length === 1 ? 'has' : 'have'} ended and must be deleted too.`;
}

function stateOf(c: PresentClaim, pod: Pod, overdue: readonly Pod[]): string {
  const place = `on ${pod.spec?.nodeName ?? ''}`;
  if (overdue.includes(pod))
    return `itself Terminating ${place} for ${ageText(parseTime(pod.metadata.deletionTimestamp) ?? c.now, c.now)}`;
  return isLeaving(pod) ? `ending ${place}` : `${pod.status?.phase ?? 'unknown'} ${place}`;
}

function evidenceOf(c: PresentClaim, { users, ended, overdue: [stuck] }: Usage): Explanation['evidence'] {
  return [
    ...deletionEvidence(c.claim),
    ...users
      .slice(0, 5)
      .map((pod) =>
        note(pod, `uses the claim on ${pod.spec?.nodeName ?? ''}, phase ${pod.status?.phase ?? 'unknown'}`),
      ),
    ...ended.slice(0, 3).map((pod) => field(pod, 'status.phase')),
    ...(stuck ? nodeTrouble(c, stuck) : []),
    ...policyEvidence(c),
  ];
}

/** A pod on a node that does not answer never ends automatically. */
function nodeTrouble(c: PresentClaim, pod: Pod): Evidence[] {
  const node = nodeOf(c, pod);
  if (node.state === 'missing') return [absent('Node', pod.spec?.nodeName ?? '')];
  const ready = node.state === 'found' ? conditionOf(node.object.status?.conditions, 'Ready') : undefined;
  return node.state === 'found' && ready?.status !== 'True'
    ? [field(node.object, 'status.conditions[Ready].status', ready?.status ?? 'not set', ready?.lastTransitionTime)]
    : [];
}

function nodeOf(c: PresentClaim, pod: Pod): Lookup<Node> {
  const name = pod.spec?.nodeName ?? '';
  return c.ask.get(
    'Node',
    undefined,
    name,
    `whether node ${name}, on which pod/${pod.metadata.name} does not end, is up`,
  );
}

function fixesFor(c: PresentClaim, { pods, overdue: [stuck] }: Usage): Fix[] {
  const staying = pods.filter((pod) => !isLeaving(pod));
  const [owner] = pods;
  const own = owner && ephemeralFix(c, owner);
  if (own && !stuck) return dataFirst(volumeAtRisk(c), [own], 'The data of the ephemeral volume is then deleted.');
  const rescue = rescueFix(c, pods, stuck ? '1h' : '5m');
  const release = optional(releaseFix(c, staying));
  return stuck ? [...stuckPodFixes(c, stuck, nodeOf(c, stuck), rescue), ...release] : [...optional(rescue), ...release];
}

const optional = (fix: Fix | undefined): Fix[] => (fix ? [fix] : []);
