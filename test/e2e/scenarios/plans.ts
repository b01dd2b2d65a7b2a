/** Reasons that several scenarios share for playing a fix instead of running it. */
export const sidecarIsProcess = 'The sidecar is a process of this machine, and no workload of the cluster.';
export const driverIsProcess = 'The driver is a process of this machine, and no pod of the cluster.';

/** Why a cause may outlive its repair for a moment. */
export const sidecarStarts = 'A sidecar that starts takes over only when the lease of its predecessor has run out.';
