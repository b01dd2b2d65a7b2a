import type { ObjectOf } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';

const defaultScheduler = 'default-scheduler';
const patienceSeconds = 60;

/**
 * A scheduler takes only pods that name it (eventhandlers.go responsibleForPod), and sets the PodScheduled condition on
 * every pod it cannot place: a pod without the condition was seen by no scheduler.
 */
export const wffcSchedulerMissing = podRule({
  cause: 'wffc-scheduler-missing',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    if (!isUnseen(p)) return undefined;
    const { pod } = p;
    const name = pod.spec?.schedulerName || defaultScheduler;
    const evidence = [
      field(pod, 'spec.schedulerName', name),
      field(pod, 'status.conditions[PodScheduled]', 'not set'),
    ] as const;
    if (name !== defaultScheduler)
      return {
        about: `scheduler ${name}`,
        summary: `pod/${pod.metadata.name} asks for scheduler ${name}, and no scheduler has looked at it`,
        evidence,
        fix: adviceForOwnScheduler(p, name),
      };
    const lease = findStaleLease(p);
    if (!lease) return undefined;
    return {
      about: `scheduler ${name}`,
      summary: `no scheduler runs: lease kube-scheduler was last renewed at ${lease.spec?.renewTime ?? ''}, so pod/${pod.metadata.name} was never looked at`,
      evidence: [...evidence, field(lease, 'spec.renewTime')],
      fix: [
        fix(
          'see who held the lease of kube-scheduler last, and start it again',
          'kubectl -n kube-system get lease kube-scheduler -o yaml',
        ),
      ],
    };
  },
});

function isUnseen(p: PodCase): boolean {
  if (p.isScheduled || p.ageSeconds <= patienceSeconds || (p.pod.spec?.schedulingGates ?? []).length > 0) return false;
  if (p.scheduledCondition || p.schedulingMessage) return false;
  // A pod has no condition either while volumes are created for the node that was chosen.
  return !p.claims.some((claim) => claim.selectedNode !== undefined && !claim.isBound);
}

/** The default scheduler counts as running unless its lease shows that it is not. */
function findStaleLease(p: PodCase): ObjectOf<'Lease'> | undefined {
  const lease = p.ask.get('Lease', 'kube-system', 'kube-scheduler', 'whether the scheduler runs');
  if (lease.state !== 'found') return undefined;
  const renewed = parseTime(lease.object.spec?.renewTime);
  const limitSeconds = Math.max(60, 4 * (lease.object.spec?.leaseDurationSeconds ?? 15));
  return renewed !== undefined && (p.now - renewed) / 1000 > limitSeconds ? lease.object : undefined;
}

function adviceForOwnScheduler({ pod: { metadata } }: PodCase, name: string): Fix[] {
  return [
    fix(`look for the scheduler ${name}, and start it`, 'kubectl get pods -A | grep -i scheduler'),
    fix(
      'or see what makes the pod, and correct or remove schedulerName there',
      `kubectl ${inNamespace(metadata.namespace)}get pod ${shellWord(metadata.name)} -o jsonpath='{.spec.schedulerName}{"\\n"}{.metadata.ownerReferences}'`,
    ),
  ];
}
