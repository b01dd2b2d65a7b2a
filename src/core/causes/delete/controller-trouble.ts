import { logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Confidence } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import {
  crashLoop,
  leaderTrouble,
  leadsWithoutLease,
  leaseTrouble,
  podTrouble,
  runsSidecar,
  startUnseen,
  withLogs,
  workloadTrouble,
} from '../../facts/driver/controller-health.ts';
import type { ControllerTrouble } from '../../facts/driver/controller-health.ts';
import { absent } from '../../facts/evidence.ts';

/** Why a sidecar does not do its work, from its pods and its lease alone. */
export interface SidecarTrouble extends ControllerTrouble {
  readonly kind: 'crashing' | 'down' | 'idle' | 'unseen';
  readonly confidence: Confidence;
}

/** `, because no provisioner is running for X: lease …`, to follow "is not deleted". */
export function whyNotDeleted(deleter: string, { words, reason }: ControllerTrouble): string {
  return reason !== undefined && words.startsWith('is not running: ')
    ? `, because no provisioner is running for ${deleter}: ${reason}`
    : `: the provisioner of ${deleter} ${words}`;
}

/** `heardAt`: when the sidecar last gave a sign of life; a lease that was renewed long before that is a leftover. */
export function troubleOf(controller: DriverController, now: number, heardAt?: number): SidecarTrouble | undefined {
  return (
    crashing(controller, now) ??
    down(controller) ??
    withoutLeader(controller, now, heardAt) ??
    unseen(controller, now, heardAt)
  );
}

function crashing(controller: DriverController, now: number): SidecarTrouble | undefined {
  const trouble = crashLoop(controller, now);
  return trouble && { ...withLogs(trouble, logsFix(controller)), kind: 'crashing', confidence: 'certain' };
}

function down(controller: DriverController): SidecarTrouble | undefined {
  if (controller.lease.state === 'fresh' || controller.pods.items.some((pod) => runsSidecar(pod, controller)))
    return undefined;
  const trouble = podTrouble(controller) ?? workloadTrouble(controller);
  return trouble && { ...trouble, kind: 'down', confidence: 'certain' };
}

/** A lease of 15 s is renewed every 5 s: a sidecar that was active this much later runs without leader election. */
const leftoverMs = 15_000;

function withoutLeader(
  controller: DriverController,
  now: number,
  heardAt: number | undefined,
): SidecarTrouble | undefined {
  const { lease, pods, role, driver } = controller;
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (
    renewed === undefined ||
    leadsWithoutLease(controller) ||
    (heardAt !== undefined && heardAt > renewed + leftoverMs)
  )
    return undefined;
  const idle = leaderTrouble(
    controller,
    pods.items.filter((pod) => runsSidecar(pod, controller)),
    now,
  );
  if (idle)
    return {
      ...withLogs(idle, logsFix(controller), logsFix(controller, 'driver')),
      kind: 'idle',
      confidence: 'certain',
    };
  const gone = leaseTrouble(controller, `the ${role} of ${driver}`, now);
  return gone && { ...gone, kind: 'down', confidence: pods.complete ? 'certain' : 'likely' };
}

const silenceMs = 600_000;

/** No lease, no pod and no workload, though all of them could be read. */
function unseen(controller: DriverController, now: number, heardAt: number | undefined): SidecarTrouble | undefined {
  const { lease, pods, workload, role, driver } = controller;
  if (
    lease.state !== 'missing' ||
    !pods.complete ||
    pods.items.length > 0 ||
    workload ||
    (heardAt !== undefined && now - heardAt < silenceMs)
  )
    return undefined;
  return {
    kind: 'unseen',
    confidence: 'likely',
    words: 'was found nowhere: it has no lease, no pod and no workload',
    evidence: [absent('Lease', lease.name)],
    fix: [startUnseen(`the ${role} of ${driver}`)],
  };
}
