import type { StatefulSet } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { fileOf, kubectl, saveCommand } from './steps.ts';

/** One operation of a JSON patch. */
export interface Operation {
  readonly op: 'add' | 'replace' | 'remove' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

/** What the API server fills in, and does not accept on a new object. */
const filledIn: readonly Operation[] = ['resourceVersion', 'uid'].map((name) => ({
  op: 'remove',
  path: `/metadata/${name}`,
}));

/**
 * Recreates a StatefulSet with a change of its claim templates, which are immutable (ValidateStatefulSetUpdate). Its
 * pods are orphaned and keep running; the new set adopts them by their labels.
 */
export function recreateSetCommands(set: StatefulSet, operations: readonly Operation[]): [string, string, string] {
  const patch = JSON.stringify([...filledIn, ...operations]);
  return [
    saveCommand(set),
    kubectl('delete', set, '--cascade=orphan'),
    `kubectl patch --local -f ${shellWord(fileOf(set))} --type=json -p ${shellWord(patch)} -o yaml | kubectl create -f -`,
  ];
}

/** A changed annotation makes the StatefulSet controller try again at once; its back-off can reach 16 minutes. */
export function retryCommand(set: StatefulSet, now: number): string {
  return kubectl('annotate', set, `retried-at=${Math.floor(now / 1000)} --overwrite`);
}
