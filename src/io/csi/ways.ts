import type { Duplex } from 'node:stream';
import type { ExecEnd, NoWay, PodAnswer, PodName } from './pod-conversation.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';

export interface ExecSession {
  readonly type: 'session';
  readonly stream: Duplex;
  readonly errors: () => string;
  readonly ended: Promise<ExecEnd>;
}

/** A right that a way needs. */
export interface Right {
  readonly verb: 'get' | 'create' | 'delete';
  /** `pods`, or a subresource such as `pods/exec`. */
  readonly resource: string;
}

/** The ways into the pods of a cluster; io/cluster implements them. */
export interface Ways {
  proxyGet(pod: PodName, port: number, path: string, limit: number): Promise<PodAnswer | NoWay>;
  forwardGet(pod: PodName, port: number, path: string, limit: number): Promise<PodAnswer | NoWay>;
  exec(pod: PodName, container: string, command: readonly string[], limit: number): Promise<ExecSession | NoWay>;
  create(pod: RawObject): Promise<{ readonly type: 'created' } | NoWay>;
  remove(pod: PodName): Promise<NoWay | undefined>;
  look(pod: PodName): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** The first of these rights that this user is known to lack; undefined if none is. */
  lacks(rights: readonly Right[], namespace: string): Promise<Right | undefined>;
}

/** The rights that a way needs. A websocket is a GET; since 1.35 the server requires create as well. */
export const rightsOf = {
  proxy: [{ verb: 'get', resource: 'pods/proxy' }],
  forward: [
    { verb: 'get', resource: 'pods/portforward' },
    { verb: 'create', resource: 'pods/portforward' },
  ],
  exec: [
    { verb: 'get', resource: 'pods/exec' },
    { verb: 'create', resource: 'pods/exec' },
  ],
  /** Includes exec and delete: a pod that could not be entered or deleted would be useless. */
  pods: [
    { verb: 'create', resource: 'pods' },
    { verb: 'get', resource: 'pods' },
    { verb: 'delete', resource: 'pods' },
    { verb: 'get', resource: 'pods/exec' },
    { verb: 'create', resource: 'pods/exec' },
  ],
} as const satisfies Readonly<Record<string, readonly Right[]>>;

export const rightText = ({ verb, resource }: Right, namespace: string): string =>
  `${verb} ${resource} in namespace ${namespace}`;
