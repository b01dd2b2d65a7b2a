import { initialState } from '../../src/tui/state/state.ts';
import type { State } from '../../src/tui/state/state.ts';
import type { Happened, Order } from '../../src/tui/state/step.ts';
import { update } from '../../src/tui/state/update.ts';
import { wantsOf } from '../../src/tui/state/wants.ts';
import { screenModel } from '../../src/tui/view-models/frame.ts';
import { plainText } from '../../src/tui/theme.ts';
import type { ClusterFeed, Frame } from '../../src/tui/ports.ts';

/** The screen without a terminal: keys go in, lines come out. */
export class TestScreen {
  state: State;
  readonly orders: Order[] = [];

  constructor(
    frame: Frame | undefined,
    options: {
      readonly columns?: number;
      readonly rows?: number;
      readonly colour?: boolean;
      readonly ascii?: boolean;
    } = {},
  ) {
    const { columns = 80, rows = 24, colour = false, ascii = false } = options;
    this.state = initialState({ size: { columns, rows }, look: { colour, ascii }, place: {} });
    if (frame !== undefined) this.tell({ type: 'frame', frame });
  }

  tell(happened: Happened): this {
    const step = update(this.state, happened);
    this.state = step.state;
    this.orders.push(...step.orders);
    return this;
  }

  press(...names: readonly string[]): this {
    for (const name of names) this.tell({ type: 'key', name });
    return this;
  }

  /** As if typed: a letter a key. */
  type(text: string): this {
    return this.press(...Array.from(text, (letter) => (letter === ' ' ? 'space' : letter)));
  }

  /** Answers what the screen lacks. */
  async settle(feed: ClusterFeed, causePage: (cause: string) => Promise<string | undefined>): Promise<this> {
    for (let turn = 0; turn < 5; turn += 1) {
      const wants = wantsOf(this.state);
      if (wants.length === 0) return this;
      for (const want of wants) {
        const frame = this.state.frames;
        if (want.type === 'page') this.tell({ type: 'answered', want, value: await causePage(want.cause), frame });
        else if (want.type === 'why' || want.type === 'trace')
          this.tell({ type: 'answered', want, value: await feed[want.type](want.target as never), frame });
        else if (want.type === 'events')
          this.tell({ type: 'answered', want, value: await feed.events(want.target as never), frame });
        else if (want.type === 'rows') this.tell({ type: 'answered', want, value: await feed.rows(want.kind), frame });
        else if (want.type === 'status') this.tell({ type: 'answered', want, value: await feed.status(), frame });
        else if (want.type === 'namespaces')
          this.tell({ type: 'answered', want, value: await feed.namespaces(), frame });
        else if (want.type === 'probe')
          this.tell({ type: 'answered', want, value: await feed.probe(want.driver, want), frame });
        else this.tell({ type: 'unanswered', want, trouble: 'not in this test', frame });
      }
    }
    return this;
  }

  /** The lines as they are painted. */
  get painted(): readonly string[] {
    const { top, body, beside, bodyWidth, divider, foot } = screenModel(this.state);
    const middle =
      beside.length === 0
        ? body
        : body.map(
            (line, row) =>
              `${line}${' '.repeat(Math.max(0, bodyWidth - plainText(line).length))} ${divider} ${beside[row] ?? ''}`,
          );
    return [...top, ...middle, ...foot];
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
