import type { Pod } from '../../../kube/kinds.ts';
import type { Objection } from '../../../report/preflight.ts';
import type { Place } from '../../../report/what-if.ts';
import { fix } from '../../../facts/evidence.ts';
import { PodCase } from '../../../facts/pod/pod-case.ts';
import { delayedClaims } from '../../../facts/pod/pod-placement.ts';
import { placedVolumes } from '../../../facts/volume/volume-reach.ts';
import { runOn } from '../imagine.ts';
import { demandOf } from '../together/demand.ts';
import { placeTogether } from '../together/place-together.ts';
import type { Seat } from '../together/place-together.ts';
import { plainRef } from './future.ts';
import type { Departure, Future } from './future.ts';
import { count } from './leave-node.ts';
import { keyOfRef } from './operation.ts';
import { groupAlike, objectionsTo } from './outlook.ts';
import { recreate } from './replacements.ts';

/** How many nodes a place names; the others are counted. */
const mostNodes = 4;

/** Where the pods that leave their nodes would start again, all of them together. Returns those that could not. */
export function settle(f: Future): ReadonlySet<Pod> {
  const returning = f.departures.filter(({ returns }) => returns);
  if (returning.length === 0) return new Set();
  const departureOf = new Map<string, Departure>();
  for (const departure of returning) {
    const replacement = recreate(departure.raw, f.world);
    departureOf.set(keyOfRef(plainRef(replacement)), departure);
  }
  const ask = f.world.inquire();
  const demands = returning.flatMap(({ pod: { metadata }, node }) => {
    const pod = ask.graph.find('Pod', metadata.namespace, metadata.name);
    return pod ? [demandOf(new PodCase(ask, pod), node)] : [];
  });
  noteForeignSchedulers(f, returning);
  const seats = placeTogether(ask, demands);
  f.note(ask);
  for (const { node, demand } of seats) {
    // A claim without a volume is provisioned for the chosen node first, which the rehearsal plays.
    if (delayedClaims(demand.subject).length > 0) continue;
    const { namespace, name } = demand.subject.pod.metadata;
    const raw = node === undefined ? undefined : f.world.get('Pod', namespace, name);
    if (raw && node !== undefined) runOn(raw, node, f.world);
  }
  const failed = new Set<Seat>();
  judgeUnseated(
    f,
    seats.filter(({ node, alone }) => node === undefined && alone.length === 0),
    failed,
  );
  judgeCrowdedOut(
    f,
    seats.filter(({ node, alone }) => node === undefined && alone.length > 0),
    failed,
  );
  judgeSeated(
    f,
    seats.filter(({ node }) => node !== undefined),
    failed,
  );
  tellMoves(
    f,
    seats.filter((seat) => !failed.has(seat)),
  );
  return new Set(
    [...failed].flatMap(({ demand }) => departureOf.get(keyOfRef(plainRef(demand.subject.pod)))?.pod ?? []),
  );
}

function noteForeignSchedulers(f: Future, returning: readonly Departure[]): void {
  const foreign = new Set(
    returning
      .map(({ pod }) => pod.spec?.schedulerName ?? 'default-scheduler')
      .filter((name) => name !== 'default-scheduler'),
  );
  for (const name of foreign)
    f.unforeseen.add(
      `Where scheduler ${name} would put its pods: they were placed by the rules of the default scheduler.`,
    );
}

function refOfSeat({ demand }: Seat): ReturnType<typeof plainRef> {
  return plainRef(demand.subject.pod);
}

/** No node takes the pod, even if no other pod needed a place. */
function judgeUnseated(f: Future, seats: readonly Seat[], failed: Set<Seat>): void {
  const groups = groupAlike(seats, outlookOf);
  const objections = objectionsTo(
    f,
    f.world,
    groups.flatMap(({ members: [first] }) => (first ? [refOfSeat(first)] : [])),
  );
  const folded = new Map<string, { readonly objection: Objection; readonly seats: Seat[] }>();
  for (const { members } of groups) {
    const [first] = members as [Seat];
    const objection = objections.get(keyOfRef(refOfSeat(first))) ?? ownObjection(first);
    const known = folded.get(objection.cause);
    if (known) known.seats.push(...members);
    else folded.set(objection.cause, { objection, seats: [...members] });
  }
  for (const { objection, seats: members } of folded.values()) {
    for (const seat of members) failed.add(seat);
    f.add({
      effect: 'cannot-start',
      severity: 'breaks',
      cause: objection.cause,
      confidence: objection.confidence,
      summary:
        members.length === 1
          ? objection.summary
          : `${members.length} pods could not start again. The first: ${objection.summary}`,
      objects: members.map(refOfSeat),
      evidence: objection.evidence,
      fix: objection.fix,
    });
  }
}

/** Pods with the same volumes' places, constraints and shortages fail for the same reason. */
function outlookOf({ demand, eligible, shortages }: Seat): string {
  const { subject } = demand;
  const volumes = placedVolumes(subject).map(({ volume }) => [
    volume.spec?.nodeAffinity?.required,
    volume.spec?.local !== undefined,
  ]);
  const { nodeSelector, affinity, tolerations } = subject.pod.spec ?? {};
  return JSON.stringify([
    volumes,
    nodeSelector,
    affinity?.nodeAffinity,
    tolerations,
    eligible === 0,
    shortages.map(({ text }) => text),
  ]);
}

function shortageWords({ shortages }: Seat): string {
  return shortages.map(({ text, nodes }) => `${text} on ${count(nodes, 'node')}`).join(', ');
}

function ownObjection(seat: Seat): Objection {
  const { subject } = seat.demand;
  const name = `pod/${subject.pod.metadata.name}`;
  const isSlots = seat.shortages.some(({ shortage }) => shortage?.of === 'slots');
  const hasPlaced = placedVolumes(subject).length > 0;
  const isReach = seat.eligible === 0 && hasPlaced;
  const cause = isSlots ? 'sched-max-volume-count' : unplacedCause(isReach);
  return {
    cause,
    stage: 'schedule',
    confidence: 'likely',
    summary:
      seat.eligible === 0
        ? `No remaining node may run ${name}${hasPlaced ? ' and reaches its volumes' : ''}.`
        : `No remaining node has room for ${name}: ${shortageWords(seat)}.`,
    evidence: [],
    fix: [fix('Make room on a node that may run the pod, or change where it may run.')],
  };
}

function unplacedCause(isReach: boolean): string {
  return isReach ? 'sched-volume-node-affinity' : 'wffc-pod-unschedulable-other';
}

/** Each of these fits on some node, but not together with the others. */
function judgeCrowdedOut(f: Future, seats: readonly Seat[], failed: Set<Seat>): void {
  const groups = groupAlike(seats, ({ shortages, fitsPacked }) => {
    const isSlots = shortages.some(({ shortage }) => shortage?.of === 'slots');
    return `${isSlots ? 'sched-max-volume-count' : 'wffc-pod-unschedulable-other'}|${String(fitsPacked)}`;
  });
  for (const { key, members } of groups) {
    for (const seat of members) failed.add(seat);
    const [cause = ''] = key.split('|');
    const isTight = members[0]?.fitsPacked === true;
    f.add({
      effect: 'cannot-start',
      severity: 'breaks',
      cause,
      confidence: isTight ? 'possible' : 'likely',
      summary: isTight
        ? 'There is room for all displaced pods only if they are packed tightly. ' +
          'Placed as the scheduler does, one by one on the emptiest node, ' +
          `${count(members.length, 'pod')} would find no room.`
        : 'The remaining nodes have no room for all displaced pods together. ' +
          `Each of these ${members.length === 1 ? 'fits' : `${members.length} pods fits`} alone, but ` +
          `${members.length === 1 ? 'it' : `about ${members.length}`} would stay Pending; ` +
          'which ones depends on the order.',
      objects: members.map(refOfSeat),
      places: members.map(placeOf),
      prevention: [
        fix(
          cause === 'sched-max-volume-count'
            ? 'Add a node whose driver has free volume slots, or scale down a workload with volumes first.'
            : 'Add a node, or scale down what can wait, before you start.',
        ),
      ],
    });
  }
}

/** Pods that find a node may still be refused there: a driver that is missing, an attacher that is gone. */
function judgeSeated(f: Future, seats: readonly Seat[], failed: Set<Seat>): void {
  const withVolumes = seats.filter(
    ({ demand }) => demand.takes.volumes.size > 0 || hasInlineVolume(demand.subject.pod),
  );
  judgeDrivers(f, withVolumes);
  const groups = groupAlike(withVolumes, ({ demand }) =>
    [...demand.takes.volumes.keys(), delayedClaims(demand.subject).length > 0].sort().join(','),
  );
  const firsts = groups.flatMap(({ members: [first] }) => (first ? [refOfSeat(first)] : []));
  const objections = objectionsTo(f, f.world, firsts);
  for (const { members } of groups) {
    const [first] = members as [Seat];
    const objection = objections.get(keyOfRef(refOfSeat(first)));
    if (!objection) continue;
    // What is wrong with one object is no proof about the others of the group.
    const hit = isAboutDriver(objection.cause) ? members : [first];
    for (const seat of hit) failed.add(seat);
    f.add({
      effect: 'cannot-start',
      severity: 'breaks',
      cause: objection.cause,
      // The scheduler may choose another node, where it may be otherwise.
      confidence: isAboutNode(objection.cause) && first.alone.length > 1 ? 'possible' : objection.confidence,
      summary:
        hit.length === 1
          ? objection.summary
          : `${hit.length} pods could not start again. The first: ${objection.summary}`,
      objects: hit.map(refOfSeat),
      evidence: objection.evidence,
      fix: objection.fix,
    });
  }
}

function isAboutNode(cause: string): boolean {
  return /node|registered|daemonset|flexvolume|gitrepo/.test(cause);
}

function isAboutDriver(cause: string): boolean {
  return /^(?:attach-attacher|attach-attachrequired|provisioner)/.test(cause);
}

function hasInlineVolume(pod: Pod): boolean {
  return (pod.spec?.volumes ?? []).some(({ csi }) => csi !== undefined);
}

/** The scheduler does not look whether a driver runs on a node. */
function judgeDrivers(f: Future, seats: readonly Seat[]): void {
  const registered = new Map(
    f.world
      .inquire()
      .seen('CSINode')
      .map(({ metadata, spec }) => [metadata.name, new Set((spec?.drivers ?? []).map(({ name }) => name))]),
  );
  const lacking = new Map<string, { readonly nodes: Set<string>; readonly seats: Seat[] }>();
  for (const seat of seats)
    for (const driver of seat.demand.takes.volumes.keys()) {
      const nodes = seat.alone.filter((node) => registered.get(node)?.has(driver) === false);
      if (nodes.length === 0) continue;
      const known = lacking.get(driver) ?? { nodes: new Set<string>(), seats: [] };
      for (const node of nodes) known.nodes.add(node);
      known.seats.push(seat);
      lacking.set(driver, known);
    }
  for (const [driver, { nodes, seats: members }] of lacking)
    f.add({
      effect: 'cannot-start',
      severity: members.every(({ alone }) => alone.every((node) => nodes.has(node))) ? 'breaks' : 'wait',
      cause: 'driver-not-on-node',
      confidence: 'possible',
      summary:
        `The scheduler may put ${count(members.length, 'pod')} on ` +
        `${[...nodes].slice(0, 3).join(', ')}${nodes.size > 3 ? ` and ${nodes.size - 3} more` : ''}, where CSI ` +
        `driver ${driver} is not registered. ${members.length === 1 ? 'It' : 'They'} would not start there.`,
      objects: members.map(refOfSeat),
    });
}

function placeOf({ demand, alone }: Seat): Place {
  return {
    object: plainRef(demand.subject.pod),
    ...(demand.from !== undefined && { from: demand.from }),
    fits: alone.length,
    nodes: alone.slice(0, mostNodes),
  };
}

function tellMoves(f: Future, seats: readonly Seat[]): void {
  if (seats.length === 0) return;
  const only = seats.filter(({ alone }) => alone.length === 1).length;
  const choice = seats.length - only;
  const words = [
    ...(choice > 0 ? [`${choice} ${choice === 1 ? 'has' : 'have'} several nodes to choose from`] : []),
    ...(only > 0 ? [`${only} ${only === 1 ? 'has' : 'have'} exactly one`] : []),
  ];
  f.add({
    effect: 'moves',
    severity: 'notice',
    confidence: 'likely',
    summary:
      `${count(seats.length, 'pod')} would start again elsewhere: ${words.join(', ')}. ` +
      'The scheduler chooses; all of them were placed together.',
    objects: seats.map(refOfSeat),
    places: seats.map(placeOf),
  });
}
