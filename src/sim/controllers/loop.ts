import type { Cluster } from '../cluster.ts';
import type { Writes } from '../changes/writes.ts';
import { attachVolumes } from './attach-volumes.ts';
import type { Backend } from './backend.ts';
import { bindClaims } from './bind-claims.ts';
import { collectGarbage } from './collect-garbage.ts';
import { countQuotas } from './count-quotas.ts';
import { emptyNamespaces } from './empty-namespaces.ts';
import { expandVolumes } from './expand-volumes.ts';
import { protectStorage } from './protect-storage.ts';
import { provisionVolumes } from './provision-volumes.ts';
import { reclaimVolumes } from './reclaim-volumes.ts';
import { renewLeases } from './renew-leases.ts';
import { runDaemonSets } from './run-daemon-sets.ts';
import { runDeployments } from './run-deployments.ts';
import { runPods } from './run-pods.ts';
import { runReplicaSets } from './run-replica-sets.ts';
import { runStatefulSets } from './run-stateful-sets.ts';
import { schedulePods } from './schedule-pods.ts';
import { takeSnapshots } from './take-snapshots.ts';

/** What a controller works with. It looks at the whole cluster each time and does what is missing. */
export interface Workplace {
  readonly cluster: Cluster;
  readonly writes: Writes;
  readonly backend: Backend;
}
type Controller = (workplace: Workplace) => void;

export interface ControllerOptions {
  readonly backend: Backend;
  /** The pause between two rounds, so that every step can be seen. */
  readonly stepMs?: number;
}

/**
 * In the opposite order of a volume's life: what one controller does is seen by the next one only in the next round, so
 * that a claim is provisioned, bound, attached and mounted step by step.
 */
const controllers: readonly Controller[] = [
  runPods,
  attachVolumes,
  schedulePods,
  bindClaims,
  provisionVolumes,
  expandVolumes,
  takeSnapshots,
  runReplicaSets,
  runDeployments,
  runStatefulSets,
  runDaemonSets,
  reclaimVolumes,
  protectStorage,
  collectGarbage,
  emptyNamespaces,
  countQuotas,
  renewLeases,
];

const defaultStepMs = 300;
/** Without any change: leases are renewed, and what failed is tried again. */
const idleMs = 2_000;

/** One round of all controllers. */
export function runRound(workplace: Workplace): void {
  for (const controller of controllers) controller(workplace);
}

/** Runs a round after each change, and now and then; returns how to stop. */
export function runControllers(cluster: Cluster, writes: Writes, options: ControllerOptions): () => void {
  const { backend, stepMs = defaultStepMs } = options;
  let timer: NodeJS.Timeout | undefined;
  let isHurried = false;
  const plan = (milliseconds: number): void => {
    clearTimeout(timer);
    isHurried = milliseconds === stepMs;
    timer = setTimeout(() => {
      plan(idleMs);
      runRound({ cluster, writes, backend });
    }, milliseconds).unref();
  };
  const unsubscribe = cluster.store.subscribeAll(() => {
    if (!isHurried) plan(stepMs);
  });
  plan(stepMs);
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}
