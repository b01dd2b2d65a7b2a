import type { RulesOfStage } from '../causes/lib/rule.ts';
import { logKey } from '../kube/container-log.ts';
import type { LogNeed } from '../kube/container-log.ts';
import type { KubeEvent } from '../kube/kinds.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { ClusterGraph } from '../graph/cluster-graph.ts';
import { Inquiry } from '../graph/inquiry.ts';
import type { Unanswered } from '../graph/inquiry.ts';
import { journeysOf } from './journeys.ts';
import { itemOf, worstOf } from './report-item.ts';
import type { KeptVerdicts, PlainVerdict } from './kept-verdicts.ts';
import type { Judged } from './report-item.ts';
import { judgeJourney } from './verdict.ts';

/** What logs add to the events, by the uid of the object. */
export type Logged = ReadonlyMap<string, readonly KubeEvent[]>;

/** An answer, and the verdict that it is about. */
type Plain = Pick<PlainVerdict, 'judged' | 'verdict'>;

/** Judges a target again with what is in the logs. The module of it is loaded only where logs are read. */
export type LogConsultant = (
  plain: Plain,
  ask: Inquiry,
  again: (logged: Logged) => Judged | undefined,
  onNeed: (need: LogNeed) => void,
) => Judged;

/** Judges targets of one snapshot, and keeps what it could not answer. */
export class TargetJudge {
  readonly unanswered = new Map<string, Unanswered>();
  readonly logNeeds = new Map<string, LogNeed>();
  readonly #graph: ClusterGraph;
  readonly #rules: RulesOfStage;
  readonly #consult: LogConsultant | undefined;
  readonly #kept: KeptVerdicts | undefined;

  constructor(
    graph: ClusterGraph,
    rules: RulesOfStage,
    { consult, kept }: { readonly consult: LogConsultant | undefined; readonly kept: KeptVerdicts | undefined },
  ) {
    this.#graph = graph;
    this.#rules = rules;
    this.#consult = consult;
    this.#kept = kept;
  }

  /** Undefined: the target does not exist, and nothing expects it. */
  judge(target: TargetRef): Judged | undefined {
    const plain = this.#judgePlainly(target);
    if (!plain || !this.#consult) return plain?.judged;
    // Where a component logs is a separate question: an open answer to it makes no stage unknown.
    const ask = new Inquiry(this.#graph);
    const judged = this.#consult(
      plain,
      ask,
      (logged) => this.#judgeWith(target, logged)?.judged,
      (need) => void keepEarliest(this.logNeeds, need),
    );
    ask.addOpenTo(this.unanswered);
    return judged;
  }

  #judgePlainly(target: TargetRef): Plain | undefined {
    const known = this.#kept?.get(target);
    const plain = known ?? this.#judgeWith(target);
    if (known) known.ask.addOpenTo(this.unanswered);
    else if (plain) this.#kept?.keep(target, plain);
    return plain;
  }

  #judgeWith(target: TargetRef, logged?: Logged): PlainVerdict | undefined {
    const ask = new Inquiry(this.#graph, logged);
    const verdicts = journeysOf(ask, target).map((journey) => judgeJourney(journey, this.#rules, ask));
    ask.addOpenTo(this.unanswered);
    return verdicts.length > 0 ? { judged: itemOf(target, verdicts, ask), verdict: worstOf(verdicts), ask } : undefined;
  }
}

/** Several targets need the same log: it is read from the earliest time that one of them needs. */
function keepEarliest(needs: Map<string, LogNeed>, need: LogNeed): void {
  const key = logKey(need);
  const known = needs.get(key);
  if (!known || known.since === undefined) needs.set(key, known ?? need);
  else if (need.since === undefined || need.since < known.since) needs.set(key, { ...need, needed: known.needed });
}
