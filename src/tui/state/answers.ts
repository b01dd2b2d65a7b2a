import type { ComponentLog } from '../../core/report/component-log.ts';
import type { Happenings } from '../../core/report/happenings.ts';
import type { ProbeReport } from '../../core/report/probe-report.ts';
import type { ObjectRef, ReportItem } from '../../core/report/report.ts';
import type { RowKind } from '../../core/report/rows.ts';
import type { Status } from '../../core/report/status.ts';
import type { Trace } from '../../core/report/trace.ts';
import type { KindRows } from '../ports.ts';

/** What the screen may ask for, and what the answer to each question is. */
export interface Wanted {
  readonly why: ReportItem | undefined;
  readonly trace: Trace | undefined;
  readonly page: string | undefined;
  readonly yaml: string | undefined;
  readonly rows: KindRows;
  readonly status: Status;
  readonly events: Happenings;
  readonly namespaces: readonly string[];
  readonly contexts: readonly string[];
  readonly probe: ProbeReport;
  readonly log: ComponentLog;
}
export type WantType = keyof Wanted;

interface WantDetails {
  readonly why: { readonly target: ObjectRef };
  readonly trace: { readonly target: ObjectRef };
  readonly yaml: { readonly target: ObjectRef };
  /** Without a target: all events about storage. */
  readonly events: { readonly target?: ObjectRef };
  readonly page: { readonly cause: string };
  readonly rows: { readonly kind: RowKind };
  readonly probe: { readonly driver: string; readonly exec: boolean };
  readonly log: { readonly target: ObjectRef };
  readonly status: object;
  readonly namespaces: object;
  readonly contexts: object;
}

/** A question of one type, or of any. */
export type Want<Type extends WantType = WantType> = {
  [One in Type]: { readonly type: One } & WantDetails[One];
}[Type];

export interface Answer<Type extends WantType> {
  /** The last answer, wrapped since `undefined` is an answer too. It is shown until a newer one arrives. */
  readonly last?: { readonly value: Wanted[Type] };
  /** Why the latest question could not be answered. */
  readonly trouble?: string;
  /** How many frames had arrived when it was asked. */
  readonly frames: number;
}

export type Answers = { readonly [Type in WantType]: ReadonlyMap<string, Answer<Type>> };

export const noAnswers: Answers = {
  why: new Map(),
  trace: new Map(),
  page: new Map(),
  yaml: new Map(),
  rows: new Map(),
  status: new Map(),
  events: new Map(),
  namespaces: new Map(),
  contexts: new Map(),
  probe: new Map(),
  log: new Map(),
};

/** An answer to a question of one type, or of any. */
export type Answered<Type extends WantType = WantType> = {
  [One in Type]: { readonly want: Want<One>; readonly answer: Answer<One> };
}[Type];

export function objectKey({ kind, namespace, name }: ObjectRef): string {
  return `${kind}|${namespace ?? ''}|${name}`;
}

interface WantFields {
  readonly type: WantType;
  readonly target?: ObjectRef;
  readonly cause?: string;
  readonly kind?: RowKind;
  readonly driver?: string;
  readonly exec?: boolean;
}

/** The same text for two questions that have the same answer. */
export function wantKey({ type, target, cause, kind, driver, exec }: WantFields): string {
  const object = target === undefined ? undefined : objectKey(target);
  return [type, object, cause, kind, driver, exec].filter((part) => part !== undefined).join('|');
}

export function answerTo<Type extends WantType>(
  { answers }: { readonly answers: Answers },
  want: Want<Type>,
): Partial<Answer<Type>> {
  const known: ReadonlyMap<string, Answer<Type>> = answers[want.type];
  return known.get(wantKey(want)) ?? {};
}

/** How many answers of one type are kept. */
const mostAnswers = 50;

export function withAnswer<Type extends WantType>(answers: Answers, { want, answer }: Answered<Type>): Answers {
  const known: ReadonlyMap<string, Answer<Type>> = answers[want.type];
  const key = wantKey(want);
  const others = [...known].filter(([other]) => other !== key).slice(1 - mostAnswers);
  return { ...answers, [want.type]: new Map([...others, [key, answer]]) };
}

export function withoutAnswer<Type extends WantType>(answers: Answers, want: Want<Type>): Answers {
  const known: ReadonlyMap<string, Answer<Type>> = answers[want.type];
  const key = wantKey(want);
  return { ...answers, [want.type]: new Map([...known].filter(([other]) => other !== key)) };
}

/**
 * Cause pages and contexts do not change with the cluster; a driver is probed and a log is read only when the user asks
 * for it.
 */
const lasting: ReadonlySet<WantType> = new Set(['page', 'contexts', 'probe', 'log', 'namespaces']);

/** The questions that have no answer yet, or one from an older frame. */
export function unansweredOf(
  { answers, frames }: { readonly answers: Answers; readonly frames: number },
  wants: readonly Want[],
): Want[] {
  return wants.filter((want) => {
    const answer = answers[want.type].get(wantKey(want));
    return answer === undefined || (!lasting.has(want.type) && answer.frames < frames);
  });
}
