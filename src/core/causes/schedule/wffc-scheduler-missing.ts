import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { Evidence } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { podRule } from '../lib/rule.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';

const defaultScheduler = 'default-scheduler';
const patience = 60;

/**
 * A scheduler takes only pods that name it (eventhandlers.go responsibleForPod), and its first act on a pod it cannot
 * place is the PodScheduled condition: a pod without one has met no scheduler.
 */
export const wffcSchedulerMissing = podRule({
  cause: 'wffc-scheduler-missing',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const { pod } = p;
    if (p.isScheduled || p.ageSeconds <= patience || (pod.spec?.schedulingGates ?? []).length > 0) return undefined;
    // While volumes are made for a node that was chosen, the pod has no condition either.
    if (
      p.scheduledCondition ||
      p.schedulingMessage ||
      p.claims.some((claim) => claim.selectedNode !== undefined && !claim.isBound)
    )
      return undefined;
    const name = pod.spec?.schedulerName || defaultScheduler;
    const isDefault = name === defaultScheduler;
    const lease = isDefault ? staleLease(p) : undefined;
    if (isDefault && !lease) return undefined;
    const { namespace } = pod.metadata;
    return {
      about: `scheduler ${name}`,
      summary: isDefault
        ? `no scheduler runs: ${lease?.words}, so pod/${pod.metadata.name} was never looked at`
        : `pod/${pod.metadata.name} asks for scheduler ${name}, and no scheduler has looked at it`,
      evidence: [
        field(pod, 'spec.schedulerName', name),
        field(pod, 'status.conditions[PodScheduled]', 'not set'),
        ...(lease ? [lease.evidence] : []),
      ],
      fix: isDefault
        ? [
            fix(
              'see who held the lease of kube-scheduler last, and start it again',
              'kubectl -n kube-system get lease kube-scheduler -o yaml',
            ),
          ]
        : [
            fix(`look for the scheduler ${name}, and start it`, 'kubectl get pods -A | grep -i scheduler'),
            fix(
              'or see what makes the pod, and correct or remove schedulerName there',
              `kubectl ${inNamespace(namespace)}get pod ${shellWord(pod.metadata.name)} -o jsonpath='{.spec.schedulerName}{"\\n"}{.metadata.ownerReferences}'`,
            ),
          ],
    };
  },
});

/** The default scheduler is always there, unless its own lease says otherwise. */
function staleLease(p: PodCase): { readonly words: string; readonly evidence: Evidence } | undefined {
  const lease = p.ask.get('Lease', 'kube-system', 'kube-scheduler', 'whether the scheduler runs');
  if (lease.state !== 'found') return undefined;
  const renewed = parseTime(lease.object.spec?.renewTime);
  const limit = Math.max(60, 4 * (lease.object.spec?.leaseDurationSeconds ?? 15));
  if (renewed === undefined || (p.now - renewed) / 1000 <= limit) return undefined;
  return {
    words: `lease kube-scheduler was last renewed at ${lease.object.spec?.renewTime ?? ''}`,
    evidence:
      lease.object.spec?.renewTime === undefined
        ? note(lease.object, 'never renewed')
        : field(lease.object, 'spec.renewTime'),
  };
}
