import { renderToString } from 'ink';
import { createElement } from 'react';
import { ScreenView } from '../../src/tui/components/screen.tsx';
import { ThemeContext } from '../../src/tui/components/theme-context.ts';
import { pressKey } from '../../src/tui/input/press-key.ts';
import type { ClusterFeed, Frame, TuiPorts } from '../../src/tui/ports.ts';
import { readAnswer } from '../../src/tui/read-answer.ts';
import { plainText } from '../../src/tui/spans.ts';
import type { Action, Effect } from '../../src/tui/state/actions.ts';
import { unansweredOf } from '../../src/tui/state/answers.ts';
import type { Answered, Want, WantType } from '../../src/tui/state/answers.ts';
import { initialState } from '../../src/tui/state/state.ts';
import type { State } from '../../src/tui/state/state.ts';
import { update } from '../../src/tui/state/update.ts';
import { createTuiTheme } from '../../src/tui/theme.ts';
import { screenOf } from '../../src/tui/view-models/screen.ts';
import type { Screen } from '../../src/tui/view-models/screen.ts';
import { clusterTime } from '../../src/tui/view-models/viewport.ts';
import type { Viewport } from '../../src/tui/view-models/viewport.ts';

interface TestScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly colour?: boolean;
  readonly ascii?: boolean;
}

/** The screen without a terminal: keys go in, Ink's frames come out. */
export class TestScreen {
  state: State = initialState({});
  /** What was asked of the world outside. */
  readonly effects: Effect[] = [];
  #viewport: Viewport;
  #elapsedMs = 0;

  constructor(frame: Frame | undefined, options: TestScreenOptions = {}) {
    const { columns = 80, rows = 24, colour = false, ascii = false } = options;
    this.#viewport = { columns, rows, look: { colour, ascii } };
    if (frame !== undefined) this.receive(frame);
  }

  do(action: Action): this {
    this.state = update(this.state, action);
    if (isEffect(action)) this.effects.push(action);
    return this;
  }

  receive(frame: Frame): this {
    return this.do({ type: 'frame', frame, receivedAt: this.#elapsedMs });
  }

  /** Lets time go by without any news. */
  wait(milliseconds: number): this {
    this.#elapsedMs += milliseconds;
    return this;
  }

  press(...names: readonly string[]): this {
    for (const name of names) for (const action of pressKey(this.state, this.screen, name)) this.do(action);
    return this;
  }

  /** As if typed: a key a letter. */
  type(text: string): this {
    return this.press(...Array.from(text, (letter) => (letter === ' ' ? 'space' : letter)));
  }

  /** Answers what the screen lacks. */
  async settle(feed: ClusterFeed, ports: TuiPorts): Promise<this> {
    for (let turn = 0; turn < 5; turn += 1) {
      const wants = unansweredOf(this.state, this.screen.wants);
      if (wants.length === 0) return this;
      for (const want of wants) this.do({ type: 'answered', answered: await answered(want, ports, feed, this.state) });
    }
    return this;
  }

  get screen(): Screen {
    const now = clusterTime(this.state, this.#elapsedMs);
    if (now !== this.#viewport.now) this.#viewport = { ...this.#viewport, now };
    return screenOf(this.state, this.#viewport);
  }

  /** The lines with their colours. */
  get painted(): readonly string[] {
    const { columns, look } = this.#viewport;
    const view = createElement(ScreenView, { screen: this.screen });
    return renderToString(createElement(ThemeContext, { value: createTuiTheme(look) }, view), { columns }).split('\n');
  }

  get lines(): readonly string[] {
    return this.painted.map((line) => plainText(line).trimEnd());
  }

  get text(): string {
    return this.lines.join('\n');
  }

  /** The line under the cursor. */
  get cursor(): string {
    return (
      this.lines
        .find((line) => line.startsWith('> '))
        ?.slice(2)
        .trim() ?? ''
    );
  }

  get foot(): string {
    return this.lines.at(-1) ?? '';
  }
}

function isEffect(action: Action): action is Effect {
  return ['quit', 'openPlace', 'copy', 'capture'].includes(action.type);
}

async function answered<Type extends WantType>(
  want: Want<Type>,
  ports: TuiPorts,
  feed: ClusterFeed,
  { frames }: State,
): Promise<Answered<Type>> {
  return { want, answer: { last: { value: await readAnswer(want, ports, feed) }, frames } };
}
