/**
 * What is exchanged with the pods of a cluster; io/cluster, which reaches them, and io/csi, which asks them, share
 * these.
 */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Why a pod could not be reached. closed: nothing listens on the port. unreachable: the way there does not work.
 * forbidden, missing: the server's 403 and 404. failed: everything else.
 */
export interface NoWay {
  readonly type: 'no way';
  readonly reason: 'forbidden' | 'missing' | 'closed' | 'unreachable' | 'failed';
  /** The server's message. */
  readonly message: string;
}

/** What the pod answered. */
export interface PodAnswer {
  readonly type: 'answer';
  readonly status: number;
  readonly body: string;
  readonly milliseconds: number;
}

/** How a command in a container ended. */
export interface ExecEnd {
  readonly stderr: string;
  readonly exitCode?: number;
  /** Why it never ran, as the server or the container runtime puts it. */
  readonly message?: string;
}
