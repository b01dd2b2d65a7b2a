import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { isProtected, looksUnused, protectionSeconds, secondsSinceDeletion } from './claim-deletion.ts';
import {
  holdersOf,
  isFinished,
  keepDataFixes,
  nameSome,
  releaseFixes,
  whatIsLeft,
  whatIsLeftFixes,
} from './claim-holders.ts';
import { deletionEvidence } from './finalizers.ts';

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

/** The pods could not be read: the finalizer alone tells. */
function explainUnseen(c: PresentClaim): Explanation {
  return {
    confidence: 'likely',
    summary: `pvc/${c.name} is being deleted and still protected, so most likely a pod uses it; which one could not be read`,
    evidence: deletionEvidence(c.claim),
    fix: [
      ...keepDataFixes(c),
      fix('see which pods use it', `kubectl -n ${shellWord(c.namespace)} describe pvc ${shellWord(c.name)}`),
    ],
  };
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
  const leaving = users.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
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
  const left = whatIsLeft(c);
  const then = left === '' ? 'goes' : 'its pods let go of it';
  return `pvc/${c.name} is being deleted and ${then} as soon as ${userNames(c, usage)} has ended${left}`;
}

function summariseUse(c: PresentClaim, usage: Usage): string {
  const who = usage.users.length === 1 ? 'the pod that uses it is' : 'the pods that use it are';
  return `pvc/${c.name} is being deleted, and stays until ${who} gone: ${userNames(c, usage)}${endedWords(usage)}${whatIsLeft(c)}`;
}

function userNames(c: PresentClaim, { users, overdue }: Usage): string {
  return nameSome(users.map((pod) => `pod/${pod.metadata.name} (${stateOf(c, pod, overdue)})`));
}

function endedWords({ ended }: Usage): string {
  if (ended.length === 0) return '';
  const names = nameSome(ended.map((pod) => `pod/${pod.metadata.name}`));
  return `; ${names} ${ended.length === 1 ? 'has' : 'have'} ended, and must be deleted too`;
}

function stateOf(c: PresentClaim, pod: Pod, overdue: readonly Pod[]): string {
  if (overdue.includes(pod))
    return `itself Terminating on ${pod.spec?.nodeName ?? ''} for ${ageText(parseTime(pod.metadata.deletionTimestamp) ?? c.now, c.now)}`;
  return pod.metadata.deletionTimestamp === undefined
    ? `${pod.status?.phase ?? 'unknown'} on ${pod.spec?.nodeName ?? ''}`
    : 'ending';
}

function evidenceOf(c: PresentClaim, { users, ended, overdue: [stuck] }: Usage): Explanation['evidence'] {
  return [
    ...deletionEvidence(c.claim),
    ...users
      .slice(0, 5)
      .map((pod) =>
        note(pod, `uses the claim on node ${pod.spec?.nodeName ?? ''}, phase ${pod.status?.phase ?? 'unknown'}`),
      ),
    ...ended.slice(0, 3).map((pod) => field(pod, 'status.phase')),
    ...(stuck ? nodeTrouble(c, stuck) : []),
  ];
}

/** A pod on a node that does not answer never ends automatically. */
function nodeTrouble(c: PresentClaim, pod: Pod): Evidence[] {
  const name = pod.spec?.nodeName ?? '';
  const node = c.ask.get(
    'Node',
    undefined,
    name,
    `whether node ${name}, on which pod/${pod.metadata.name} does not end, is up`,
  );
  if (node.state === 'missing') return [absent('Node', name)];
  const ready = node.state === 'found' ? conditionOf(node.object.status?.conditions, 'Ready') : undefined;
  return node.state === 'found' && ready?.status !== 'True'
    ? [field(node.object, 'status.conditions[Ready].status', ready?.status ?? 'not set', ready?.lastTransitionTime)]
    : [];
}

function fixesFor(c: PresentClaim, { pods, overdue: [stuck] }: Usage): Fix[] {
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  return [
    ...keepDataFixes(c),
    ...(stuck
      ? [
          fix(
            `see why pod/${stuck.metadata.name} does not end`,
            `kubectl csi why pod/${shellWord(stuck.metadata.name)} -n ${shellWord(c.namespace)}`,
          ),
        ]
      : []),
    ...releaseFixes(c, staying),
    ...whatIsLeftFixes(c),
  ];
}
