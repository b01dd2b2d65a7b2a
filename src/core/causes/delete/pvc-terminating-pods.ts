import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import {
  holdersOf,
  isFinished,
  keepDataFixes,
  nameSome,
  releaseFixes,
  whatIsLeft,
  whatIsLeftFixes,
} from './claim-holders.ts';
import { deletionEvidence, pvcProtection, removeFinalizerFix } from './finalizers.ts';

/** The controller looks again at each change of a pod; a minute is ample. */
const protectionSeconds = 60;
const shutDownSeconds = 60;

function isProtected(c: PresentClaim): boolean {
  return (
    c.claim.metadata.deletionTimestamp !== undefined && (c.claim.metadata.finalizers ?? []).includes(pvcProtection)
  );
}

export function secondsSinceDeletion(c: PresentClaim): number {
  const since = parseTime(c.claim.metadata.deletionTimestamp);
  return since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (c.now - since) / 1000);
}

/** pvc_protection_controller does not ask whether a pod still runs, only whether it is there. */
export const pvcTerminatingCompletedPod = claimRule({
  cause: 'pvc-terminating-completed-pod',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    if (!isProtected(c)) return undefined;
    const { items: pods } = holdersOf(c);
    if (pods.length === 0 || !pods.every(isFinished)) return undefined;
    const jobs = [
      ...new Set(
        pods.flatMap((pod) =>
          (pod.metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'Job').map(({ name }) => name),
        ),
      ),
    ];
    return {
      summary: `pvc/${c.name} is being deleted, and ${pods.length === 1 ? 'a pod that has ended still holds it' : `${pods.length} pods that have ended still hold it`}: ${nameSome(pods.map((pod) => `pod/${pod.metadata.name}`))}; a finished pod counts until it is deleted${whatIsLeft(c)}`,
      evidence: [...deletionEvidence(c.claim), ...pods.slice(0, 5).map((pod) => field(pod, 'status.phase'))],
      fix: [
        ...keepDataFixes(c),
        ...releaseFixes(c, pods),
        ...whatIsLeftFixes(c),
        ...(jobs.length > 0
          ? [
              fix(
                'so that it does not happen again: let finished jobs be cleaned up, with ttlSecondsAfterFinished',
                'kubectl explain job.spec.ttlSecondsAfterFinished',
              ),
            ]
          : []),
      ],
    };
  },
});

/** By design: a claim that a pod uses is only marked for deletion. */
export const pvcTerminatingInUse = claimRule({
  cause: 'pvc-terminating-in-use',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    if (!isProtected(c)) return undefined;
    const { items: pods, complete } = holdersOf(c);
    const users = pods.filter((pod) => !isFinished(pod));
    if (users.length > 0) return explainUsers(c, users, pods);
    if (pods.length > 0 || complete || looksUnused(c) || secondsSinceDeletion(c) < protectionSeconds) return undefined;
    return {
      confidence: 'likely',
      summary: `pvc/${c.name} is being deleted and still protected, so most likely a pod uses it; which one could not be read`,
      evidence: deletionEvidence(c.claim),
      fix: [
        ...keepDataFixes(c),
        fix('see which pods use it', `kubectl -n ${shellWord(c.namespace)} describe pvc ${shellWord(c.name)}`),
      ],
    };
  },
});

function explainUsers(c: PresentClaim, users: readonly Pod[], pods: readonly Pod[]): Explanation {
  const leaving = users.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
  const overdue = leaving.filter((pod) => secondsPast(c, pod) > shutDownSeconds);
  const isEnding = leaving.length === users.length && overdue.length === 0 && pods.length === users.length;
  const names = nameSome(users.map((pod) => `pod/${pod.metadata.name} (${stateOf(c, pod, overdue)})`));
  const ended = pods.filter(isFinished);
  const left = whatIsLeft(c);
  const also =
    ended.length === 0
      ? ''
      : `; ${nameSome(ended.map((pod) => `pod/${pod.metadata.name}`))} ${ended.length === 1 ? 'has' : 'have'} ended, and must be deleted too`;
  const stuck = overdue[0];
  return {
    ...(isEnding && { severity: 'info' as const }),
    summary: isEnding
      ? `pvc/${c.name} is being deleted and ${left === '' ? 'goes' : 'its pods let go of it'} as soon as ${names} has ended${left}`
      : `pvc/${c.name} is being deleted, and stays until ${users.length === 1 ? 'the pod that uses it is' : 'the pods that use it are'} gone: ${names}${also}${left}`,
    evidence: [
      ...deletionEvidence(c.claim),
      ...users
        .slice(0, 5)
        .map((pod) =>
          note(pod, `uses the claim on node ${pod.spec?.nodeName ?? ''}, phase ${pod.status?.phase ?? 'unknown'}`),
        ),
      ...ended.slice(0, 3).map((pod) => field(pod, 'status.phase')),
      ...(stuck ? nodeTrouble(c, stuck) : []),
    ],
    fix: [
      ...keepDataFixes(c),
      ...(stuck
        ? [
            fix(
              `see why pod/${stuck.metadata.name} does not end`,
              `kubectl csi why pod/${shellWord(stuck.metadata.name)} -n ${shellWord(c.namespace)}`,
            ),
          ]
        : []),
      ...releaseFixes(
        c,
        pods.filter((pod) => pod.metadata.deletionTimestamp === undefined),
      ),
      ...whatIsLeftFixes(c),
    ],
  };
}

/** The deletionTimestamp of a pod is the moment by which it should be gone. */
function secondsPast(c: PresentClaim, pod: Pod): number {
  const due = parseTime(pod.metadata.deletionTimestamp);
  return due === undefined ? Number.POSITIVE_INFINITY : (c.now - due) / 1000;
}

function stateOf(c: PresentClaim, pod: Pod, overdue: readonly Pod[]): string {
  if (overdue.includes(pod))
    return `itself Terminating on ${pod.spec?.nodeName ?? ''} for ${ageText(parseTime(pod.metadata.deletionTimestamp) ?? c.now, c.now)}`;
  return pod.metadata.deletionTimestamp === undefined
    ? `${pod.status?.phase ?? 'unknown'} on ${pod.spec?.nodeName ?? ''}`
    : 'ending';
}

/** A pod on a node that does not answer never ends by itself. */
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

/** A dump that has nodes and no pod at all was most likely taken where no pod was. */
function looksUnused(c: PresentClaim): boolean {
  const observed = c.ask.graph.coverage.of('Pod', { namespace: c.namespace });
  return (
    observed.state === 'unread' &&
    observed.message !== undefined &&
    c.ask.seen('Pod').length === 0 &&
    c.ask.seen('Node').length > 0
  );
}

/** Nobody uses it, and the controller that should see this does not act. */
export const pvcTerminatingProtectionStuck = claimRule({
  cause: 'pvc-terminating-protection-stuck',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    if (!isProtected(c) || secondsSinceDeletion(c) < protectionSeconds) return undefined;
    const { items, complete } = holdersOf(c);
    if (items.length > 0 || (!complete && !looksUnused(c))) return undefined;
    const lease = staleManagerLease(c.ask);
    const renewed = parseTime(lease?.spec?.renewTime);
    return {
      confidence: !complete ? 'possible' : lease ? 'certain' : 'likely',
      ...(lease && { about: 'kube-controller-manager' }),
      summary: lease
        ? `pvc/${c.name} is being deleted and no pod uses it, but the kube-controller-manager, which must let it go, has not renewed its lease for ${ageText(renewed ?? c.now, c.now)}`
        : `pvc/${c.name} is being deleted and no pod uses it, yet ${pvcProtection} was not taken off: the protection controller in the kube-controller-manager does not run, or its update is refused`,
      evidence: [
        ...deletionEvidence(c.claim),
        note(c.claim, `no pod with a node uses it${complete ? '' : ', as far as the dump tells'}`),
        ...(lease ? [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity')] : []),
      ],
      fix: [
        fix(
          'get the kube-controller-manager to work again: the claim then goes by itself',
          'kubectl -n kube-system get pods -l component=kube-controller-manager -o wide',
        ),
        fix(
          'see whether a webhook refuses updates of claims',
          'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
        ),
        removeFinalizerFix(
          c.claim,
          pvcProtection,
          'only if no pod uses the claim and the controller cannot be brought back, take the finalizer off by hand',
        ),
      ],
    };
  },
});
