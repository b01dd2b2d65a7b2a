import type { TargetRef } from '../../../kube/selection.ts';
import type { Objection } from '../../../report/preflight.ts';
import type { ObjectRef } from '../../../report/report.ts';
import { Rehearsal } from '../rehearsal.ts';
import { World } from '../world.ts';
import type { Future } from './future.ts';
import { keyOfRef } from './operation.ts';

/** More rehearsals than this would show the same again. */
const mostRehearsed = 40;

/** Objects with the same outlook, of which the first represents all. */
export interface Alike<T> {
  readonly key: string;
  readonly members: readonly T[];
}

export function groupAlike<T>(all: readonly T[], keyOf: (one: T) => string): Alike<T>[] {
  return [...Map.groupBy(all, keyOf)].map(([key, members]) => ({ key, members }));
}

/**
 * What prevents these pods from starting, if anything: rehearsed in a copy of the world, so that they do not affect
 * each other there.
 */
export function objectionsTo(f: Future, world: World, pods: readonly ObjectRef[]): ReadonlyMap<string, Objection> {
  const asked = pods.slice(0, mostRehearsed);
  const targets = asked as readonly TargetRef[];
  const imagined = new Set(asked.map(keyOfRef));
  const copy = new World(world.snapshot);
  const rehearsal = new Rehearsal(copy, targets, (object) => imagined.has(keyOfRef(object)));
  rehearsal.run();
  f.need(rehearsal.needs);
  const found = new Map<string, Objection>();
  for (const ref of asked) {
    const { status, objection } = rehearsal.outcomeOf(ref);
    if (status === 'wouldFail' && objection) found.set(keyOfRef(ref), objection);
  }
  return found;
}
