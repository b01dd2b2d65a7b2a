import type { ClusterFeed, Place, TuiPorts } from './ports.ts';
import { readAnswer } from './read-answer.ts';
import type { Action } from './state/actions.ts';
import { answerTo, unansweredOf, wantKey } from './state/answers.ts';
import type { Answered, Want, WantType } from './state/answers.ts';
import { initialState } from './state/state.ts';
import type { State } from './state/state.ts';
import { update } from './state/update.ts';

/** What the session needs of the program around it. */
interface SessionOptions {
  readonly ports: TuiPorts;
  readonly place: Place;
  readonly quit: (how: 'quit' | 'interrupted') => void;
  readonly copy: (text: string) => void;
}

/** How much older than the latest frame an answer may be: a new one may cost requests, and tables are large. */
function refreshMs({ type }: Want): number {
  return type === 'rows' || type === 'status' ? 3000 : 1000;
}

/** One run: the state, which components subscribe to, the cluster that is open, and the questions to it. */
export class Session {
  readonly #options: SessionOptions;
  readonly #listeners = new Set<() => void>();
  #state: State;
  #feed: ClusterFeed | undefined;
  #unsubscribe: (() => void) | undefined;
  /** Counts the places that were opened: answers from an earlier one are dropped. */
  #opening = 0;
  #wants: readonly Want[] = [];
  /** When each question was last asked; infinity while its answer is awaited. */
  readonly #askedAt = new Map<string, number>();
  #askingLater: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#state = initialState(options.place);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly state = (): State => this.#state;

  readonly dispatch = (action: Action): void => {
    if (this.#isOver) return;
    const before = this.#state;
    this.#state = update(before, action);
    this.#carryOut(action);
    if (this.#state !== before) for (const listener of this.#listeners) listener();
  };

  /** Determines what the screen shows and the frame lacks; it is requested, and again when it is out of date. */
  readonly want = (wants: readonly Want[]): void => {
    this.#wants = wants;
    this.#askAll();
  };

  async open(place: Place): Promise<void> {
    this.#opening += 1;
    const opening = this.#opening;
    const old = this.#feed;
    this.#unsubscribe?.();
    this.#feed = undefined;
    this.#askedAt.clear();
    try {
      await old?.close();
      const feed = await this.#options.ports.open(place);
      if (opening !== this.#opening || this.#isOver) return await feed.close();
      this.#feed = feed;
      this.#unsubscribe = feed.subscribe((frame) => {
        if (opening === this.#opening) this.dispatch({ type: 'frame', frame, receivedAt: performance.now() });
      });
    } catch (error) {
      if (opening === this.#opening) this.dispatch({ type: 'failed', trouble: sentenceOf(error) });
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#askingLater);
    this.#unsubscribe?.();
    await this.#feed?.close();
  }

  #carryOut(action: Action): void {
    switch (action.type) {
      case 'quit':
        return this.#options.quit(action.how);
      case 'copy':
        return this.#options.copy(action.text);
      case 'openPlace':
        void this.open(action.place);
        return;
      case 'capture':
        void this.#capture(action.path);
    }
  }

  async #capture(path: string): Promise<void> {
    const say = (text: string, isTrouble: boolean): void =>
      this.dispatch({ type: 'remark', remark: { text, isTrouble } });
    try {
      const file = await this.#feed?.capture(path);
      say(file === undefined ? 'There is nothing to save yet.' : `Saved to ${file}`, false);
    } catch (error) {
      say(`Nothing was saved: ${sentenceOf(error)}`, true);
    }
  }

  #askAll(): void {
    if (this.#isOver) return;
    for (const want of unansweredOf(this.#state, this.#wants)) {
      const waitMs = this.#waitMs(want);
      if (waitMs <= 0) void this.#ask(want);
      else if (waitMs !== Number.POSITIVE_INFINITY) this.#askLater(waitMs);
    }
  }

  #waitMs(want: Want): number {
    const askedAt = this.#askedAt.get(wantKey(want));
    if (askedAt === undefined || askedAt === Number.POSITIVE_INFINITY) return askedAt ?? 0;
    const isNew = answerTo(this.#state, want).frames === undefined;
    return isNew ? 0 : askedAt + refreshMs(want) - performance.now();
  }

  #askLater(milliseconds: number): void {
    this.#askingLater ??= setTimeout(() => {
      this.#askingLater = undefined;
      this.#askAll();
    }, milliseconds);
  }

  async #ask(want: Want): Promise<void> {
    const opening = this.#opening;
    const key = wantKey(want);
    this.#askedAt.set(key, Number.POSITIVE_INFINITY);
    const answered = await this.#answer(want, this.#state.frames);
    if (opening !== this.#opening) return;
    this.#askedAt.set(key, performance.now());
    this.dispatch({ type: 'answered', answered });
  }

  async #answer<Type extends WantType>(want: Want<Type>, frames: number): Promise<Answered<Type>> {
    try {
      const value = await readAnswer(want, this.#options.ports, this.#feed);
      return { want, answer: { last: { value }, frames } };
    } catch (error) {
      return { want, answer: { ...answerTo(this.#state, want), trouble: sentenceOf(error), frames } };
    }
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
