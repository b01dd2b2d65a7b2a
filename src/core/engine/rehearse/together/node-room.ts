import type { Node } from '../../../kube/kinds.ts';
import { isExtended } from '../../../facts/node/node-fit.ts';
import type { Taking } from './demand.ts';

/** What is full on a node: a resource, the volumes of a driver, or a host port. */
export type Shortage =
  | { readonly of: 'resource'; readonly name: string }
  | { readonly of: 'slots'; readonly name: string; readonly limit: number; readonly held: number }
  | { readonly of: 'port'; readonly name: string };

/** What one node has left. It only ever gets less. */
export class NodeRoom {
  readonly node: Node;
  readonly #offered: ReadonlyMap<string, number>;
  readonly #free: Map<string, number>;
  readonly #limits: ReadonlyMap<string, number>;
  readonly #held: Map<string, Set<string>>;
  readonly #ports: Set<string>;

  constructor(
    node: Node,
    offered: ReadonlyMap<string, number>,
    limits: ReadonlyMap<string, number>,
    taken: {
      readonly free?: ReadonlyMap<string, number>;
      readonly held?: ReadonlyMap<string, ReadonlySet<string>>;
      readonly ports?: Iterable<string>;
    } = {},
  ) {
    this.node = node;
    this.#offered = offered;
    this.#free = new Map(taken.free ?? offered);
    this.#limits = limits;
    this.#held = new Map([...(taken.held ?? [])].map(([driver, names]) => [driver, new Set(names)]));
    this.#ports = new Set(taken.ports);
  }

  copy(): NodeRoom {
    return new NodeRoom(this.node, this.#offered, this.#limits, {
      free: this.#free,
      held: this.#held,
      ports: this.#ports,
    });
  }

  /** The share of processor and memory that is free, from 0 to 1 (NodeResourcesFit, LeastAllocated). */
  get score(): number {
    const shares = ['cpu', 'memory'].map((name) => {
      const offered = this.#offered.get(name) ?? 0;
      return offered > 0 ? Math.max(0, (this.#free.get(name) ?? 0) / offered) : 0;
    });
    return (shares[0] ?? 0) / 2 + (shares[1] ?? 0) / 2;
  }

  /** Whether it is known how much it offers. */
  get isMeasured(): boolean {
    return this.#offered.size > 0;
  }

  shortageOf({ requests, volumes, ports }: Taking): Shortage | undefined {
    if (this.isMeasured)
      for (const [name, amount] of requests) {
        const free = this.#free.get(name);
        if (amount > 0 && (free === undefined ? isExtended(name) : amount > free)) return { of: 'resource', name };
      }
    for (const [driver, names] of volumes) {
      const limit = this.#limits.get(driver);
      if (limit === undefined) continue;
      const held = this.#held.get(driver);
      const added = held ? names.filter((name) => !held.has(name)).length : names.length;
      if (added > 0 && (held?.size ?? 0) + added > limit)
        return { of: 'slots', name: driver, limit, held: held?.size ?? 0 };
    }
    const port = ports.find((wanted) => this.#clashes(wanted));
    return port === undefined ? undefined : { of: 'port', name: port };
  }

  /** The address 0.0.0.0 clashes with every other one of the same port. */
  #clashes(wanted: string): boolean {
    if (this.#ports.size === 0) return false;
    const [protocol, address, port] = wanted.split(' ');
    return [...this.#ports].some((taken) => {
      const [takenProtocol, takenAddress, takenPort] = taken.split(' ');
      const sameAddress = address === takenAddress || address === '0.0.0.0' || takenAddress === '0.0.0.0';
      return protocol === takenProtocol && port === takenPort && sameAddress;
    });
  }

  take({ requests, volumes, ports }: Taking): void {
    for (const [name, amount] of requests) {
      const free = this.#free.get(name);
      if (free !== undefined) this.#free.set(name, free - amount);
    }
    for (const [driver, names] of volumes) {
      const held = this.#held.get(driver) ?? new Set<string>();
      for (const name of names) held.add(name);
      this.#held.set(driver, held);
    }
    for (const port of ports) this.#ports.add(port);
  }
}
