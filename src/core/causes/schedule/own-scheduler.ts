import type { ObjectOf, Pod } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { delayedClaims } from '../../facts/pod/pod-placement.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { field, inNamespace } from '../../facts/evidence.ts';
import { changePod } from '../lib/pod-change.ts';
import { kubectl, steps } from '../lib/steps.ts';

type Workload = ObjectOf<'Deployment'> | ObjectOf<'StatefulSet'>;
type Lease = ObjectOf<'Lease'>;

const defaultScheduler = 'default-scheduler';
const mostWorkloads = 2;

/** What is known of a scheduler that is not the default one. */
export interface OwnScheduler {
  readonly name: string;
  /** Of the same name, with or without `-scheduler`, or told the name by their arguments. */
  readonly workloads: readonly Workload[];
  readonly lease: Lease | undefined;
  /** Undefined where nothing shows it. */
  readonly isRunning: boolean | undefined;
}

export function findOwnScheduler(p: PodCase, name: string): OwnScheduler {
  const { ask, now } = p;
  const workloads = [...ask.seen('Deployment'), ...ask.seen('StatefulSet')].filter((each) => isOf(each, name));
  const lease = ask
    .seen('Lease')
    .filter(({ metadata }) => isNamed(metadata.name, name))
    .sort((a, b) => (renewedAt(b) ?? 0) - (renewedAt(a) ?? 0))[0];
  const isFresh = lease && isAlive(lease, now);
  const isReady = workloads.some(({ status }) => (status?.readyReplicas ?? 0) > 0);
  return {
    name,
    workloads,
    lease,
    isRunning: workloads.length > 0 ? isReady && isFresh !== false : isFresh,
  };
}

function isNamed(text: string, scheduler: string): boolean {
  return text === scheduler || text === `${scheduler}-scheduler`;
}

function isOf({ metadata, spec }: Workload, scheduler: string): boolean {
  if (isNamed(metadata.name, scheduler)) return true;
  const told = new Set([`--scheduler-name=${scheduler}`, `--schedulerName=${scheduler}`]);
  return (spec?.template?.spec?.containers ?? []).some(({ args = [], command = [] }) =>
    [...command, ...args].some((argument) => told.has(argument)),
  );
}

function renewedAt({ spec }: Lease): number | undefined {
  return parseTime(spec?.renewTime);
}

function isAlive(lease: Lease, now: number): boolean {
  const renewed = renewedAt(lease);
  const limitSeconds = Math.max(60, 4 * (lease.spec?.leaseDurationSeconds ?? 15));
  return renewed !== undefined && (now - renewed) / 1000 <= limitSeconds;
}

/** `deployment/x in namespace y has 3 of 3 replicas ready, lease y/x was renewed 4s ago` */
export function runningText({ workloads, lease }: OwnScheduler, now: number): string {
  const told = workloads
    .slice(0, mostWorkloads)
    .map(
      (each) =>
        `${each.kind.toLowerCase()}/${each.metadata.name} has ${each.status?.readyReplicas ?? 0} of ` +
        `${each.spec?.replicas ?? 1} replicas ready`,
    );
  const renewed = lease && renewedAt(lease);
  return [
    ...told,
    ...(lease && renewed !== undefined
      ? [`lease ${lease.metadata.namespace ?? ''}/${lease.metadata.name} was renewed ${ageText(renewed, now)} ago`]
      : []),
  ].join(', ');
}

export function schedulerEvidence({ workloads, lease }: OwnScheduler): Evidence[] {
  return [
    ...workloads
      .slice(0, mostWorkloads)
      .map((each) =>
        field(each, 'status.readyReplicas', `${each.status?.readyReplicas ?? 0} of ${each.spec?.replicas ?? 1}`),
      ),
    ...(lease ? [field(lease, 'spec.renewTime')] : []),
  ];
}

/** It runs, and did nothing: only its log holds the reason, and another scheduler can take the pod meanwhile. */
export function silentSchedulerFixes(p: PodCase, scheduler: OwnScheduler): Fix[] {
  const { pod } = p;
  const { name, workloads } = scheduler;
  const logs = workloads.slice(0, mostWorkloads).map((each) => logCommand(each, pod));
  const change = changePod(pod, { schedulerName: defaultScheduler });
  const restarted = workloads.find(({ metadata }) => metadata.name !== name) ?? workloads[0];
  const release = knownGap(p, scheduler);
  return [
    steps(
      `Let the default scheduler place the pod, if it needs nothing that only "${name}" offers: set schedulerName to ` +
        `${defaultScheduler} ${change.where}.${change.note} It schedules the pod at once.` +
        `${logs.length === 0 ? '' : ` First read what "${name}" logs about the pod: that is its reason.`}`,
      [...logs, ...change.commands],
      change.risk,
    ),
    ...(release ? [steps(`${release} Then pods with such claims can go back to it.`, [])] : []),
    ...(restarted
      ? [
          steps(
            `Or, if its log does not mention pod/${pod.metadata.name}, restart scheduler "${name}": ` +
              'it then looks at all pending pods again.',
            [kubectl('rollout restart', restarted)],
            'disruptive',
          ),
        ]
      : []),
  ];
}

function logCommand({ kind, metadata }: Workload, { metadata: { name } }: Pod): string {
  return (
    `kubectl ${inNamespace(metadata.namespace)}logs ${shellWord(`${kind.toLowerCase()}/${metadata.name}`)} ` +
    `--all-containers --since=1h | grep -F -- ${shellWord(name)}`
  );
}

/** Stork before 2.11 leaves out pods whose WaitForFirstConsumer claims are not bound (libopenstorage/stork#1097). */
export function gapText(p: PodCase, scheduler: OwnScheduler): string {
  const version = oldStork(scheduler);
  return version !== undefined && delayedClaims(p).length > 0
    ? ` Stork ${version} runs, and stork before 2.11 leaves pods unscheduled whose WaitForFirstConsumer ` +
        'claims are not bound yet: each probably waits for the other.'
    : '';
}

function knownGap(p: PodCase, scheduler: OwnScheduler): string | undefined {
  return gapText(p, scheduler) === ''
    ? undefined
    : 'Upgrade stork to 2.11 or later, with its new RBAC rules (it then updates claims).';
}

function oldStork({ workloads }: OwnScheduler): string | undefined {
  for (const { spec } of workloads)
    for (const { image = '' } of spec?.template?.spec?.containers ?? []) {
      const [, version, minor] = /\/stork:v?(2\.(\d+)[\w.-]*)$/.exec(image) ?? [];
      if (version !== undefined && Number(minor) < 11) return version;
    }
  return undefined;
}
