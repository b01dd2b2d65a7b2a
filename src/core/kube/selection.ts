import type { Kind } from './kinds.ts';

/** One thing that a person named. */
export interface TargetRef {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
}

/** What to judge: named targets, or all that is stuck in a namespace, or (without one) in the cluster. */
export interface Selection {
  readonly targets?: readonly TargetRef[];
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Without targets: only what waits for its volume to come (the default), or all that is stuck in any way. */
  readonly breadth?: 'pending' | 'everything';
}
