import type { Inquiry } from '../../../graph/inquiry.ts';
import { heldByNode } from '../../../facts/volume/volume-slots.ts';
import { allocatableOf, hostPortsOf, milliRequestsOf } from './demand.ts';
import type { Demand } from './demand.ts';
import { EligibleNodes } from './eligible-nodes.ts';
import type { Eligible } from './eligible-nodes.ts';
import { Heap } from './heap.ts';
import { hostKey, Neighbours, unwelcome } from './neighbours.ts';
import { NodeRoom } from './node-room.ts';
import type { Shortage } from './node-room.ts';

/** What became of one pod. */
export interface Seat {
  readonly demand: Demand;
  /** Nodes that take the pod if none of the others needs a place. */
  readonly alone: readonly string[];
  /** Nodes that its constraints and its volumes allow, regardless of what is free there. */
  readonly eligible: number;
  /** The node that it was placed on, with all the others. */
  readonly node: string | undefined;
  /** Only set where it found no place with the others: whether another order of placing finds one for all. */
  readonly fitsPacked?: boolean;
  /** What is missing on the nodes that its constraints allow, and on how many. */
  readonly shortages: readonly { readonly text: string; readonly shortage?: Shortage; readonly nodes: number }[];
}

interface Applicant {
  readonly demand: Demand;
  readonly eligible: Eligible;
  readonly alone: readonly string[];
}

/**
 * Places all pods as the scheduler would, one after the other, each on the node with the most room left. Where that
 * leaves some out, the largest are placed first, to see whether any order finds room for all.
 */
export function placeTogether(ask: Inquiry, demands: readonly Demand[]): Seat[] {
  const hall = new Hall(ask, demands);
  const spreadOut = hall.seat((one, other) => priorityOf(other.demand) - priorityOf(one.demand));
  const shortages = new Map(
    hall.applicants
      .filter(({ demand }) => !spreadOut.has(demand))
      .map(({ demand, eligible }) => [demand, hall.shortagesOf(demand, eligible)]),
  );
  const isFull = hall.applicants.some((one) => one.alone.length > 0 && !spreadOut.has(one.demand));
  const packed = isFull
    ? hall.seat((one, other) => one.alone.length - other.alone.length || sizeOf(other.demand) - sizeOf(one.demand))
    : spreadOut;
  const fitsPacked = hall.applicants.every((one) => one.alone.length === 0 || packed.has(one.demand));
  return hall.applicants.map(({ demand, eligible, alone }) => {
    const node = spreadOut.get(demand);
    return {
      demand,
      alone,
      eligible: eligible.nodes.length,
      node,
      ...(node === undefined && alone.length > 0 && { fitsPacked }),
      shortages: shortages.get(demand) ?? [],
    };
  });
}

function priorityOf({ subject }: Demand): number {
  return subject.pod.spec?.priority ?? 0;
}

function sizeOf({ takes }: Demand): number {
  return (takes.requests.get('cpu') ?? 0) * 1e9 + (takes.requests.get('memory') ?? 0) / 1e3;
}

class Hall {
  readonly applicants: readonly Applicant[];
  readonly #rooms: ReadonlyMap<string, NodeRoom>;
  readonly #neighbours: Neighbours;
  readonly #alone = new Map<string, readonly string[]>();
  /** The rooms as the last seating has left them. */
  #taken: ReadonlyMap<string, NodeRoom> = new Map();

  constructor(ask: Inquiry, demands: readonly Demand[]) {
    this.#rooms = roomsOf(ask, new Set(demands.flatMap(({ takes }) => [...takes.volumes.keys()])));
    this.#neighbours = new Neighbours(ask);
    // All rules are known before the first count, so that none misses a pod.
    for (const { subject } of demands) this.#neighbours.of(subject.pod);
    const nodes = new EligibleNodes(ask);
    this.applicants = demands.map((demand) => {
      const eligible = nodes.of(demand.subject);
      return { demand, eligible, alone: this.#aloneOn(demand, eligible) };
    });
  }

  #aloneOn(demand: Demand, eligible: Eligible): readonly string[] {
    const company = this.#neighbours.of(demand.subject.pod);
    const key = `${eligible.key}|${demand.signature}|${company.key}`;
    let names = this.#alone.get(key);
    if (!names) {
      names = eligible.nodes
        .filter((node) => {
          const room = this.#rooms.get(node.metadata.name);
          return room && !room.shortageOf(demand.takes) && unwelcome(company, node, () => true) === undefined;
        })
        .map((node) => node.metadata.name);
      this.#alone.set(key, names);
    }
    return names;
  }

  /** The node of each pod that found one. */
  seat(order: (one: Applicant, other: Applicant) => number): ReadonlyMap<Demand, string> {
    const restore = this.#neighbours.save();
    const rooms = (this.#taken = new Map([...this.#rooms].map(([name, room]) => [name, room.copy()])));
    const queues = new Map<string, readonly Queue[]>();
    const seats = new Map<Demand, string>();
    for (const applicant of [...this.applicants].sort(order)) {
      const room = this.#choose(applicant, rooms, queues);
      if (!room) continue;
      seats.set(applicant.demand, room.node.metadata.name);
      room.take(applicant.demand.takes);
      this.#neighbours.settle(applicant.demand.subject.pod, room.node);
    }
    restore();
    return seats;
  }

  #choose(
    { demand, eligible, alone }: Applicant,
    rooms: ReadonlyMap<string, NodeRoom>,
    all: Map<string, readonly Queue[]>,
  ): NodeRoom | undefined {
    if (alone.length === 0 && eligible.nodes.length === 0) return undefined;
    const company = this.#neighbours.of(demand.subject.pod);
    const key = `${eligible.key}|${demand.signature}|${company.wideKeys.join(',')}`;
    let queues = all.get(key);
    if (!queues) all.set(key, (queues = queuesOf(eligible, rooms, company.wideKeys)));
    let best: Choice | undefined;
    for (const queue of queues) {
      if (unwelcome(company, queue.sample.node, (wide) => wide !== hostKey) !== undefined) continue;
      const choice = bestOf(queue, demand, (room) => unwelcome(company, room.node, (k) => k === hostKey) === undefined);
      if (choice && (!best || choice.score > best.score)) best = choice;
    }
    return best?.room;
  }

  /** Why the nodes that its constraints allow have no room after the last seating, counted by reason. */
  shortagesOf(demand: Demand, eligible: Eligible): Seat['shortages'] {
    const company = this.#neighbours.of(demand.subject.pod);
    const byText = new Map<string, { text: string; shortage?: Shortage; nodes: number }>();
    for (const node of eligible.nodes) {
      const shortage = this.#taken.get(node.metadata.name)?.shortageOf(demand.takes);
      const text = shortage ? shortageText(shortage) : unwelcome(company, node, () => true);
      if (text === undefined) continue;
      const known = byText.get(text);
      if (known) known.nodes += 1;
      else byText.set(text, { text, ...(shortage && { shortage }), nodes: 1 });
    }
    return [...byText.values()].sort((a, b) => b.nodes - a.nodes);
  }
}

function shortageText(shortage: Shortage): string {
  if (shortage.of === 'slots') return `volume slots of ${shortage.name}`;
  return shortage.of === 'port' ? `host port ${shortage.name}` : shortage.name;
}

/** Nodes with the same values of the wide topology keys: a rule about those keys holds for all of them or for none. */
interface Queue {
  readonly sample: NodeRoom;
  readonly heap: Heap<NodeRoom>;
}

function queuesOf(
  eligible: Eligible,
  rooms: ReadonlyMap<string, NodeRoom>,
  wideKeys: readonly string[],
): readonly Queue[] {
  const queues = new Map<string, Queue>();
  for (const node of eligible.nodes) {
    const room = rooms.get(node.metadata.name);
    if (!room) continue;
    const domain = wideKeys.map((key) => node.metadata.labels?.[key] ?? '').join('|');
    const queue = queues.get(domain) ?? { sample: room, heap: new Heap<NodeRoom>() };
    queue.heap.push(room, room.score);
    queues.set(domain, queue);
  }
  return [...queues.values()];
}

interface Choice {
  readonly room: NodeRoom;
  readonly score: number;
}

/**
 * Scores only fall, so an entry whose score is still right is the best. A node that is too full for this amount stays
 * too full.
 */
function bestOf({ heap }: Queue, { takes }: Demand, isWelcome: (room: NodeRoom) => boolean): Choice | undefined {
  const skipped: NodeRoom[] = [];
  let found: Choice | undefined;
  for (let top = heap.top; top && !found; top = heap.top) {
    const room = top.item;
    const { score } = room;
    if (score < top.score) {
      heap.pop();
      heap.push(room, score);
    } else if (room.shortageOf(takes)) heap.pop();
    else if (isWelcome(room)) found = { room, score };
    else {
      heap.pop();
      skipped.push(room);
    }
  }
  for (const room of skipped) heap.push(room, room.score);
  return found;
}

function roomsOf(ask: Inquiry, drivers: ReadonlySet<string>): ReadonlyMap<string, NodeRoom> {
  const limits = new Map(
    ask
      .seen('CSINode')
      .map(({ metadata, spec }) => [
        metadata.name,
        new Map(
          (spec?.drivers ?? []).flatMap(({ name, allocatable }) =>
            name !== undefined && allocatable?.count !== undefined ? [[name, allocatable.count] as const] : [],
          ),
        ),
      ]),
  );
  const held = new Map([...drivers].map((driver) => [driver, heldByNode(ask, driver)]));
  const rooms = new Map<string, NodeRoom>();
  for (const node of ask.seen('Node')) {
    const { name } = node.metadata;
    rooms.set(
      name,
      new NodeRoom(node, allocatableOf(node.status?.allocatable), limits.get(name) ?? new Map<string, number>(), {
        held: new Map(
          [...held].map(([driver, nodes]): [string, ReadonlySet<string>] => [driver, nodes.get(name) ?? new Set()]),
        ),
      }),
    );
  }
  for (const pod of ask.seen('Pod')) {
    const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    const room = pod.spec?.nodeName && !isOver ? rooms.get(pod.spec.nodeName) : undefined;
    room?.take({ requests: milliRequestsOf(pod), volumes: new Map(), ports: hostPortsOf(pod) });
  }
  return rooms;
}
