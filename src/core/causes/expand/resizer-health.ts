import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import {
  crashesOf,
  crashTrouble,
  leaderTrouble,
  leaseTrouble,
  podTrouble,
  runsSidecar,
  withLogs,
  workloadTrouble,
} from '../../facts/driver/controller-health.ts';
import type { ControllerTrouble } from '../../facts/driver/controller-health.ts';
import { absent, fix, note } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';

/** What is known of the sidecar that expands volumes and changes their attributes class. */
export type ResizerHealth =
  | { readonly state: 'runs' | 'unseen'; readonly controller: DriverController }
  | ({ readonly state: 'down'; readonly controller: DriverController } & ControllerTrouble &
      Pick<Explanation, 'confidence'>);

/** Whether the external-resizer of a driver runs, by its lease, its pods and its workload. */
export function resizerHealth(ask: Inquiry, driver: string): ResizerHealth {
  const controller = findController(ask, driver, 'resizer');
  const { lease, pods } = controller;
  if (lease.state === 'fresh') return { state: 'runs', controller };
  const [crashed] = pods.items.flatMap((pod) => crashesOf(pod, 'resizer', ask.now));
  const running = pods.items.find((pod) => runsSidecar(pod, controller));
  const logs = logsFix(controller);
  if (crashed && (!running || running === crashed.pod))
    return { state: 'down', controller, ...withLogs(crashTrouble(controller, [crashed]), logs) };
  if (running) {
    const idle = leaderTrouble(controller, [running], ask.now);
    return idle
      ? { state: 'down', confidence: 'likely', controller, ...withLogs(idle, logs) }
      : { state: 'runs', controller };
  }
  const down =
    podTrouble(controller) ??
    workloadTrouble(controller) ??
    leaseTrouble(controller, `the resizer of ${driver}`, ask.now);
  if (down) return { state: 'down', controller, ...withLogs(down, logs) };
  if (lease.state !== 'missing' && !pods.complete) return { state: 'unseen', controller };
  return notFound(controller, driver);
}

function notFound(controller: DriverController, driver: string): ResizerHealth {
  const { lease, pods } = controller;
  return {
    state: 'down',
    confidence: 'likely',
    controller,
    words: `does not run: no csi-resizer was found${whereText(controller, pods.complete)}`,
    evidence: [
      lease.state === 'missing'
        ? absent('Lease', lease.name)
        : note({ kind: 'CSIDriver', metadata: { name: driver } }, 'no pod holds a csi-resizer container for it'),
    ],
    fix: [
      fix(
        `deploy the csi-resizer sidecar beside the controller of ${driver}, if the driver can grow volumes at all`,
        'kubectl get deploy,sts,ds -A | grep -i -e csi -e resizer',
      ),
    ],
  };
}

function whereText({ workload }: DriverController, isComplete: boolean): string {
  if (workload) return ` in ${workload.kind.toLowerCase()}/${workload.name}`;
  return isComplete ? ' beside the driver' : '';
}
