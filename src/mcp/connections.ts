import { connectServer, sourceOf } from '../cli/cluster-source.ts';
import { openSource } from '../cli/open-source.ts';
import type { ClusterSource } from '../cli/open-source.ts';
import { readsDump, usageOptionsOf } from '../cli/source-flags.ts';
import type { LastingConnection } from '../io/cluster/connect.ts';
import { abortable } from './abortable.ts';
import type { Operator } from './operator.ts';

/**
 * What the server reads. There is one connection for each context, whose credentials serve all calls; each call has a
 * reader of its own, so that nothing that an earlier call read is ever an answer.
 */
export class Connections {
  readonly #operator: Operator;
  readonly #connections = new Map<string | undefined, Promise<LastingConnection>>();
  #dump: Promise<ClusterSource> | undefined;

  constructor(operator: Operator) {
    this.#operator = operator;
  }

  /**
   * Fails where no call can ever be answered: a dump that cannot be read, a context that does not exist. Nothing is
   * sent to a cluster.
   */
  async check(): Promise<void> {
    if (readsDump(this.#operator)) await (await this.#open()).answer(() => ({ needs: [] }));
    else await this.#connect(undefined);
  }

  async open(context: string | undefined, signal: AbortSignal): Promise<ClusterSource> {
    if (readsDump(this.#operator)) return this.#open();
    const { client, newReader } = await this.#connect(context);
    signal.throwIfAborted();
    return sourceOf({ client, reader: abortable(newReader(), signal) }, undefined, usageOptionsOf(this.#operator));
  }

  #open(): Promise<ClusterSource> {
    return (this.#dump ??= openSource(this.#operator));
  }

  #connect(context: string | undefined): Promise<LastingConnection> {
    const known = this.#connections.get(context);
    if (known !== undefined) return known;
    const connecting = connectServer(context === undefined ? this.#operator : { ...this.#operator, context });
    this.#connections.set(context, connecting);
    // Nothing has been decided yet: the next call reads the kubeconfig again.
    connecting.catch(() => this.#connections.delete(context));
    return connecting;
  }
}
