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
import { absent, note } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { incapableTexts } from '../lib/driver-error/sentences/resizer.ts';

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
  if (crashed && (!running || running === crashed.pod))
    return { state: 'down', controller, ...crashOf(controller, crashed) };
  if (running) {
    const idle = leaderTrouble(controller, [running], ask.now);
    return idle
      ? { state: 'down', confidence: 'likely', controller, ...withLogs(idle, logsFix(controller)) }
      : { state: 'runs', controller };
  }
  const down =
    podTrouble(controller) ??
    workloadTrouble(controller) ??
    leaseTrouble(controller, `the resizer of ${driver}`, ask.now);
  if (down) return { state: 'down', controller, ...down };
  if (lease.state !== 'missing' && !pods.complete) return { state: 'unseen', controller };
  return notFound(controller, driver);
}

function notFound(controller: DriverController, driver: string): ResizerHealth {
  const { lease, pods } = controller;
  const reason =
    lease.state === 'missing' && !pods.complete
      ? `lease ${lease.name} does not exist`
      : `no csi-resizer container was found${whereText(controller, pods.complete)}`;
  return {
    state: 'down',
    confidence: 'likely',
    controller,
    words: `was not found: ${reason}`,
    reason,
    evidence: [
      lease.state === 'missing'
        ? absent('Lease', lease.name)
        : note({ kind: 'CSIDriver', metadata: { name: driver } }, 'no pod holds a csi-resizer container for it'),
    ],
    fix: [
      steps(
        `Install the csi-resizer sidecar next to the controller of ${driver}, from the manifests or chart values ` +
          `of the driver's release. The growth then continues automatically. ` +
          'If the driver cannot grow volumes at all, copy the data to a larger volume instead.',
        [],
      ),
    ],
  };
}

/** `No resizer is running for X: deployment/y is scaled to 0 replicas.` */
export function noResizer(driver: string, { words, reason }: Pick<ControllerTrouble, 'words' | 'reason'>): string {
  if (reason !== undefined && words.startsWith('is not running: '))
    return sentence(`No resizer is running for ${driver}: ${reason}`);
  if (reason !== undefined && words.startsWith('was not found: '))
    return sentence(`No resizer was found for ${driver}: ${reason}`);
  return sentence(`The resizer of ${driver} ${words}`);
}

function crashOf(controller: DriverController, crashed: ReturnType<typeof crashesOf>[number]): ControllerTrouble {
  const trouble = crashTrouble(controller, [crashed]);
  const { lastState, state } = crashed.status;
  const match = incapableTexts.exec(`${lastState?.terminated?.message ?? ''} ${state?.terminated?.message ?? ''}`);
  if (!match) return trouble;
  const words = `keeps ending, because the driver cannot grow volumes ("${match[0]}")`;
  return {
    ...trouble,
    words,
    reason: words,
    fix: [
      steps(
        `Move the data to a new, larger claim: ${controller.driver} in this release does not support growing ` +
          'volumes, and the sidecar ends for that reason. A newer release of the driver may support it.',
        [],
        'disruptive',
      ),
      ...trouble.fix,
    ],
  };
}

function whereText({ workload }: DriverController, isComplete: boolean): string {
  if (workload) return ` in ${workload.kind.toLowerCase()}/${workload.name}`;
  return isComplete ? ' next to the driver' : '';
}
