import type { RulesOfStage } from '../causes/lib/rule.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { Snapshot } from '../kube/snapshot.ts';
import type { Judged } from './report-item.ts';
import type { Verdict } from './verdict.ts';

/** A verdict without logs, and the questions that it left open. */
export interface PlainVerdict {
  readonly judged: Judged;
  readonly verdict: Verdict;
  readonly ask: Inquiry;
}

/**
 * The verdicts of the last diagnosis. Before logs are read, and again with them, all targets would be judged by the very same objects:
 * a verdict without logs is then taken from here. Only for one question, since the clock of the snapshots is not compared.
 */
export class KeptVerdicts {
  #of: { readonly snapshot: Snapshot; readonly rules: RulesOfStage } | undefined;
  readonly #verdicts = new Map<string, PlainVerdict>();

  /** Forgets the verdicts unless they are about the same objects. */
  begin(snapshot: Snapshot, rules: RulesOfStage): void {
    const last = this.#of;
    this.#of = { snapshot, rules };
    if (last === undefined || last.snapshot === snapshot) return;
    if (last.rules !== rules || !isSameContent(last.snapshot, snapshot)) this.#verdicts.clear();
  }

  get(target: TargetRef): PlainVerdict | undefined {
    return this.#verdicts.get(keyOf(target));
  }

  keep(target: TargetRef, verdict: PlainVerdict): void {
    this.#verdicts.set(keyOf(target), verdict);
  }
}

function keyOf({ kind, namespace = '', name }: TargetRef): string {
  return `${kind}|${namespace}|${name}`;
}

/** Whether two snapshots hold the very same objects and observations; what was not read again is the same object. */
function isSameContent(one: Snapshot, other: Snapshot): boolean {
  return (
    one.usage === other.usage &&
    one.serverVersion === other.serverVersion &&
    isSameList(one.objects, other.objects) &&
    isSameList(one.observations, other.observations)
  );
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((entry, index) => entry === other[index]);
}
