import type { Inquiry } from '../../graph/inquiry.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { LogPlace } from '../../report/component-log.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import type { LeaderLease } from '../../facts/driver/driver-lease.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController, SidecarRole } from '../../facts/driver/drivers.ts';
import { field } from '../../facts/evidence.ts';
import {
  controllerContainerOf,
  findSnapshotController,
  snapshotControllerLogs,
} from '../../facts/snapshot/snapshot-controller.ts';
import { steps } from '../../causes/lib/steps.ts';
import { earlierLog, grepFor } from './owner.ts';
import type { Examination, StageOwner, Trace, TraceSource } from './owner.ts';

/** A sidecar of a driver's controller: its lease shows whether it lives, its log why it does nothing. */
export function sidecarOwner(ask: Inquiry, driver: string, role: SidecarRole, source: TraceSource): StageOwner {
  const name = `the ${role} of ${driver}`;
  return {
    name,
    examine: () => examineSidecar(findController(ask, driver, role), name, source(), ask.now),
    logs: () => sidecarLogs(findController(ask, driver, role)),
  };
}

/** Of the pod that leads: the sidecar, and the driver that it calls. */
function sidecarLogs({ leader, pods, container, driverContainer, role }: DriverController): LogPlace[] {
  const pod = leader ?? pods.items[0];
  if (!pod) return [];
  const { name, namespace = '' } = pod.metadata;
  const sidecar = leader ? `the ${role}, leader` : `the ${role}`;
  return [
    ...(container === undefined
      ? []
      : [{ namespace, pod: name, container, what: sidecar, speaks: role, ...earlierLog(pod, container) }]),
    ...(driverContainer === undefined || driverContainer === container
      ? []
      : [
          {
            namespace,
            pod: name,
            container: driverContainer,
            what: 'the driver',
            speaks: 'driver' as const,
            ...earlierLog(pod, driverContainer),
          },
        ]),
  ];
}

function examineSidecar(controller: DriverController, name: string, trace: Trace, now: number): Examination {
  return {
    progress: [...trace.progress, ...aliveWords(controller, now)],
    evidence: [...trace.evidence, ...leaseEvidence(controller.lease)],
    fix: [readLog(controller, name, trace.names), ...restartSidecar(controller, name)],
  };
}

function aliveWords({ lease, leader, pods, container }: DriverController, now: number): string[] {
  const pod = leader ?? pods.items[0];
  const where = pod
    ? ` (container ${container ?? ''} of pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''})`
    : '';
  const lived = leaseWords(lease, now);
  if (lived !== undefined) return [`It ${lived}${where}.`];
  return pod ? [`It runs in${where.replace(/^ \(|\)$/g, ' ').trimEnd()}.`] : ['Where it runs was not found.'];
}

/** Completes "It …". Only a lease that is renewed proves that it is alive. */
function leaseWords({ state, object }: LeaderLease, now: number): string | undefined {
  const renewed = parseTime(object?.spec?.renewTime);
  if (renewed === undefined || (state !== 'fresh' && state !== 'stale')) return undefined;
  const age = ageText(Math.min(renewed, now), now);
  return state === 'fresh' ? `is alive: its lease was renewed ${age} ago` : `last renewed its lease ${age} ago`;
}

function leaseEvidence({ object }: LeaderLease): Evidence[] {
  return object ? [field(object, 'spec.renewTime')] : [];
}

function readLog(controller: DriverController, name: string, names: readonly string[]): Fix {
  const { command = '' } = logsFix(controller, 'sidecar', '--since=1h');
  if (!command.includes(' logs ')) return steps(`Find ${name}, read its log, and correct what it names.`, [command]);
  return steps(
    `Read what ${name} logged about it, and correct what the log names. ` +
      'No line at all means that it has not looked at the object: go on with fix 2.',
    [`${command}${grepFor(names, shellWord)}`],
  );
}

function restartSidecar({ leader, pods, workload }: DriverController, name: string): Fix[] {
  const pod = leader ?? pods.items[0];
  const { command, risk } = pod ? restartFix(pod, workload, '') : {};
  if (command === undefined || risk === undefined) return [];
  return [
    steps(
      `Restart ${name}: a fresh process looks at every object again. Volumes in use are not affected.`,
      [command],
      risk,
    ),
  ];
}

/** The controller of all snapshots, which is installed apart from the drivers. */
export function snapshotControllerOwner(ask: Inquiry, source: TraceSource): StageOwner {
  return {
    name: 'the snapshot controller',
    examine: () => examineSnapshotController(ask, source()),
    logs: () => snapshotControllerPlaces(ask),
  };
}

/** Its lease shows where it runs; its pods are searched there. */
function snapshotControllerPlaces(ask: Inquiry): LogPlace[] {
  const { lease, pods } = findSnapshotController(ask);
  const home = lease.object?.metadata.namespace;
  const candidates =
    home === undefined ? pods.items : ask.list('Pod', home, 'where the snapshot controller runs').items;
  const holder = lease.object?.spec?.holderIdentity ?? '';
  const found = candidates.filter((pod) => controllerContainerOf(pod.spec));
  const pod = found.find(({ metadata }) => holder.startsWith(metadata.name)) ?? found[0];
  const container = controllerContainerOf(pod?.spec)?.name;
  if (!pod || container === undefined) return [];
  const { name, namespace = '' } = pod.metadata;
  return [
    {
      namespace,
      pod: name,
      container,
      what: 'the snapshot controller',
      speaks: 'snapshot controller',
      ...earlierLog(pod, container),
    },
  ];
}

function examineSnapshotController(ask: Inquiry, trace: Trace): Examination {
  const controller = findSnapshotController(ask);
  const [pod] = controller.pods.items;
  const { command = '' } = snapshotControllerLogs(controller)[0] ?? {};
  const lived = leaseWords(controller.lease, ask.now);
  const where = pod
    ? ` (container ${controllerContainerOf(pod.spec)?.name ?? ''} of pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''})`
    : '';
  return {
    progress: [...trace.progress, ...(lived === undefined ? [] : [`It ${lived}${where}.`])],
    evidence: [...trace.evidence, ...leaseEvidence(controller.lease)],
    fix: [
      steps('Read what the snapshot controller logged about it, and correct what the log names.', [
        command.includes(' logs ')
          ? `${command.replace(/ --tail=\d+/, ' --since=1h')}${grepFor(trace.names, shellWord)}`
          : command,
      ]),
    ],
  };
}
