import type { FixPlan, OtherOutcome } from './scenario.ts';

/** Reasons that several scenarios share for playing a fix instead of running it. */
export const sidecarIsProcess = 'The sidecar is a process of this machine, and no workload of the cluster.';
export const driverIsProcess = 'The driver is a process of this machine, and no pod of the cluster.';

/** Why a cause may outlive its repair for a moment. */
export const sidecarStarts = 'A sidecar that starts takes over only when the lease of its predecessor has run out.';
export const driverSaidSo = 'What the driver answered last is true until it is called again.';

/** For what is being deleted. */
export const deleted: OtherOutcome = { status: 'gone', why: 'It is to be deleted.' };

/** A repair outside of the cluster: nothing in Kubernetes shows it before the next call. */
export function storageTeam(knows: string, more: FixPlan = {}): FixPlan {
  return { human: { knows, acts: (world) => world.mend() }, lingers: driverSaidSo, ...more };
}

/** A volume made by hand, for a disk that exists in the storage. */
export const existingDisk: FixPlan = {
  human: {
    knows: 'The storage team names the disk or the directory.',
    values: ({ namespace, cluster }) => ({
      PLACEHOLDER_DRIVER: cluster.driver.name,
      PLACEHOLDER_HANDLE: `disk-of-${namespace}`,
      PLACEHOLDER_PATH: `${cluster.directory}/by-hand/${namespace}`,
      PLACEHOLDER_NODE: 'node-a',
      PLACEHOLDER_NAME: `${namespace}-disk`,
    }),
  },
};
