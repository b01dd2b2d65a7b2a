import type { ObjectRef } from '../../report/report.ts';
import type { TraceAccount, TraceSpan } from '../../report/trace.ts';
import type { Fact } from './fact.ts';

/** One step on the way: which component has to act, and when the step ended. */
export interface Step {
  readonly stage: string;
  readonly waitsFor: string;
  readonly isDone: boolean;
  /** No component had to act: no pod used the claim, or the volume was in use. */
  readonly isIdle?: boolean;
  readonly isUnneeded?: boolean;
  readonly end?: Pick<Fact, 'at' | 'certainty'> | undefined;
  readonly note?: string;
  /** Another component had to act until then. */
  readonly handedOver?: { readonly by: string; readonly at: number } | undefined;
}

/** A span of time with the component that had to act in it, for the gaps of the timeline. */
export interface Charged {
  readonly from: number;
  readonly to: number;
  readonly waitsFor: string;
  readonly isOpen: boolean;
}

export interface Reckoning {
  readonly account: TraceAccount;
  readonly charged: readonly Charged[];
}

export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/**
 * Charges each span of time to the step that ended it; a step whose end is not recorded shares the span of the next.
 */
export function reckon(started: number, now: number, object: ObjectRef, steps: readonly Step[]): Reckoning {
  const ledger = new Ledger(started, now);
  for (const step of steps) ledger.add(step);
  ledger.close();
  const total = ledger.spans.reduce((sum, span) => sum + (span.counts ? (span.seconds ?? 0) : 0), 0);
  const spans = ledger.spans.map(({ counts, ...span }) =>
    counts && total > 0 && span.seconds !== undefined
      ? { ...span, percent: Math.round((100 * span.seconds) / total) }
      : span,
  );
  return { account: { object, seconds: total, spans }, charged: ledger.charged };
}

type Span = Omit<TraceSpan, 'percent'> & {
  /** Idle time is no part of the total. */
  readonly counts: boolean;
};

class Ledger {
  readonly spans: Span[] = [];
  readonly charged: Charged[] = [];
  readonly #now: number;
  #cursor: number;
  /** Steps that are done, without a record of when. */
  #untimed: Step[] = [];
  #isStuck = false;

  constructor(started: number, now: number) {
    this.#cursor = started;
    this.#now = now;
  }

  add(step: Step): void {
    if (step.isUnneeded) this.#addWithoutTime(step, 'unneeded');
    else if (this.#isStuck && !step.isIdle) this.#addWithoutTime(step, 'unreached');
    else if (this.#isStuck) return;
    else if (step.isDone && step.end === undefined) this.#untimed.push(step);
    else this.#addTimed(step);
  }

  close(): void {
    if (this.#untimed.length > 0) this.spans.push(untimedSpan(this.#untimed));
    this.#untimed = [];
  }

  #addWithoutTime({ stage }: Step, state: 'unneeded' | 'unreached'): void {
    this.spans.push({ stages: [stage], state, counts: false });
  }

  #addTimed(step: Step): void {
    // Steps before an open one are over, so they do not share its span.
    if (!step.isDone) this.close();
    this.#isStuck = !step.isDone;
    const from = this.#cursor;
    const to = Math.max(from, step.isDone ? (step.end?.at ?? this.#now) : this.#now);
    const members = [...this.#untimed.filter(({ isIdle }) => !isIdle), step];
    this.#untimed = [];
    if (!(step.isIdle && to - from < 1000)) this.spans.push(timedSpan(members, step, from, to));
    this.#charge(members, step, from, to);
    this.#cursor = to;
  }

  #charge(members: readonly Step[], { handedOver, isDone }: Step, from: number, to: number): void {
    const handed = Math.min(to, Math.max(from, handedOver?.at ?? from));
    if (handedOver && handed > from) this.charged.push({ from, to: handed, waitsFor: handedOver.by, isOpen: false });
    const waitsFor = [...new Set(members.map((step) => step.waitsFor))].join(' or ');
    this.charged.push({ from: handed, to, waitsFor, isOpen: !isDone });
  }
}

function timedSpan(members: readonly Step[], step: Step, from: number, to: number): Span {
  const stages = [...new Set(members.map(({ stage }) => stage))];
  const notes = [...new Set(members.flatMap(({ note }) => note ?? []))];
  const note = [
    ...notes,
    ...(stages.length > 1 ? ['not recorded separately'] : []),
    ...(step.isDone ? [] : [`waits for ${step.waitsFor}`]),
  ].join(', ');
  return {
    stages,
    state: stateOf(step),
    from: timeText(from),
    to: timeText(to),
    seconds: Math.round((to - from) / 1000),
    certainty: step.end?.certainty ?? 'exact',
    ...(note && { note }),
    counts: !step.isIdle,
  };
}

function stateOf({ isIdle, isDone }: Step): TraceSpan['state'] {
  if (isIdle) return 'idle';
  return isDone ? 'done' : 'open';
}

function untimedSpan(steps: readonly Step[]): Span {
  return {
    stages: [...new Set(steps.map(({ stage }) => stage))],
    state: 'done',
    note: 'no timestamp',
    counts: false,
  };
}
