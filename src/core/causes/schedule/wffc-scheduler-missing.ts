import type { ObjectOf } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { renewalWords } from '../../facts/driver/controller-health.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { onNode } from '../lib/node-commands.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { findOwnScheduler, gapText, runningText, schedulerEvidence, silentSchedulerFixes } from './own-scheduler.ts';
import type { OwnScheduler } from './own-scheduler.ts';

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
    if (name !== defaultScheduler) {
      const scheduler = findOwnScheduler(p, name);
      return {
        ...(scheduler.isRunning !== false && { confidence: 'likely' as const }),
        about: `scheduler ${name}`,
        summary: ownSchedulerText(p, scheduler),
        evidence: [...evidence, ...schedulerEvidence(scheduler)],
        fix: scheduler.isRunning === true ? silentSchedulerFixes(p, scheduler) : adviceForOwnScheduler(p, scheduler),
      };
    }
    const lease = findStaleLease(p);
    if (!lease) return undefined;
    return {
      about: `scheduler ${name}`,
      summary: `No scheduler is running: ${renewalWords(lease, p.now)}. pod/${pod.metadata.name} was never handled.`,
      evidence: [...evidence, field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity')],
      fix: [startDefault(p, lease)],
    };
  },
});

function ownSchedulerText(p: PodCase, scheduler: OwnScheduler): string {
  const { name, isRunning, workloads, lease } = scheduler;
  const pod = `pod/${p.pod.metadata.name}`;
  if (isRunning === true)
    return (
      `Scheduler "${name}", which ${pod} asks for, has neither placed nor rejected it${sinceText(p)}, ` +
      `although it runs (${runningText(scheduler, p.now)}).${gapText(p, scheduler)}`
    );
  const known = workloads.length > 0 || lease !== undefined;
  return known
    ? `No scheduler has handled ${pod}: it asks for scheduler "${name}", which does not run (${runningText(scheduler, p.now)}).`
    : `No scheduler has handled ${pod}: it asks for scheduler "${name}", and nothing that was read shows that it runs.`;
}

function sinceText({ pod, now }: PodCase): string {
  const created = parseTime(pod.metadata.creationTimestamp);
  return created === undefined ? '' : ` in ${ageText(created, now)}`;
}

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

/**
 * The holder is HOST_UUID (leaderelection in cmd/kube-scheduler), and on most clusters the kubelet of that host runs it
 * as a static pod.
 */
function startDefault({ ask }: PodCase, { spec }: ObjectOf<'Lease'>): Fix {
  const host = (spec?.holderIdentity ?? '').split('_')[0] ?? '';
  const then = 'All pending pods are then scheduled.';
  if (!ask.graph.find('Node', undefined, host))
    return steps(
      `Start the kube-scheduler again${host === '' ? '' : ` on host ${host}, where it ran last`}. ` +
        `On managed clusters ask the provider. ${then}`,
      [],
    );
  return steps(
    `Start the kube-scheduler on ${host} again: its last log says why it stopped, and a restart of the ` +
      `kubelet starts its static pod (/etc/kubernetes/manifests/kube-scheduler.yaml). ${then}`,
    [
      `kubectl -n kube-system logs ${shellWord(`kube-scheduler-${host}`)} --previous --tail=50`,
      onNode(host, 'systemctl restart kubelet'),
    ],
    'disruptive',
  );
}

function adviceForOwnScheduler({ pod }: PodCase, { name, workloads }: OwnScheduler): Fix[] {
  const [workload] = workloads;
  const then = `It then schedules pod/${pod.metadata.name} automatically.`;
  return [
    workload
      ? steps(
          `Start ${workload.kind.toLowerCase()}/${workload.metadata.name} in namespace ${workload.metadata.namespace ?? ''}. ${then}`,
          [
            (workload.spec?.replicas ?? 1) === 0
              ? kubectl('scale', workload, '--replicas=1')
              : kubectl('rollout restart', workload),
          ],
          (workload.spec?.replicas ?? 1) === 0 ? 'safe' : 'disruptive',
        )
      : steps(
          `Start scheduler "${name}": PLACEHOLDER_NS and PLACEHOLDER_WORKLOAD (TYPE/NAME) are in the output of the ` +
            `first line. If nothing is listed, it is not installed, or the name is misspelt. ${then}`,
          [
            'kubectl get deploy,sts,ds -A | grep -i scheduler',
            'kubectl -n PLACEHOLDER_NS scale PLACEHOLDER_WORKLOAD --replicas=1',
          ],
        ),
    changePodFix(
      pod,
      { schedulerName: defaultScheduler },
      (where) =>
        `Or use the default scheduler, if nothing needs "${name}": ` +
        `set schedulerName to ${defaultScheduler} ${where}. It schedules the pod at once.`,
    ),
  ];
}
