import type { WaitState } from '../../../core/report/wait.ts';
import { parseTime } from '../../../core/kube/time.ts';
import { essenceOf, renderBriefly, renderProgress } from '../text.ts';
import type { WaitWords } from '../text.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { complain } from '../../../terminal/output.ts';
import { canMove, startLine } from '../../../terminal/progress.ts';
import { targetKey } from '../answer.ts';

/** The most lines for one look, so that a thousand targets do not fill a log. */
const mostLines = 10;

/** Reports progress on standard error: one line that changes on a terminal, a line for each change elsewhere. */
export class WaitProgress {
  readonly #words: WaitWords;
  readonly #ascii: boolean;
  readonly #isMoving = canMove(process.stderr);
  readonly #shown = new Map<string, string>();
  #line = '';
  #stop: (() => void) | undefined;
  #state: { readonly worst: WaitState; readonly count: string; readonly nowMs: () => number } | undefined;

  constructor(words: WaitWords, ascii: boolean) {
    this.#words = words;
    this.#ascii = ascii;
  }

  /** Shows the states that are not reached yet, and how many are. */
  async show(pending: readonly WaitState[], reached: number, takenAt: string): Promise<void> {
    const begun = performance.now();
    const taken = parseTime(takenAt) ?? 0;
    const nowMs = (): number => taken + (performance.now() - begun);
    const [worst] = [...pending].sort((a, b) => rank[a.prospect] - rank[b.prospect]);
    const total = reached + pending.length;
    this.#state = worst && { worst, count: total > 1 ? `${reached} of ${total} reached; ` : '', nowMs };
    this.#line = '';
    const changed = pending.filter((state) => this.#shown.get(targetKey(state.wish.target)) !== essenceOf(state));
    for (const state of changed) this.#shown.set(targetKey(state.wish.target), essenceOf(state));
    // On a terminal, a target that is simply on its way leaves no line behind.
    const kept = this.#isMoving ? changed.filter(({ prospect }) => prospect !== 'waiting') : changed;
    for (const state of kept.slice(0, mostLines)) await this.printLine(renderProgress(state, nowMs(), this.#words));
    if (kept.length > mostLines) await this.printLine(`and ${kept.length - mostLines} more`);
    this.#move();
  }

  /** Shows a sentence instead of states. */
  async showMessage(text: string): Promise<void> {
    const line = sanitise(text);
    this.#state = undefined;
    if (this.#shown.get('') !== line && !this.#isMoving) await this.printLine(line);
    this.#shown.set('', line);
    this.#line = line;
    this.#move();
  }

  /** Prints a line that stays. */
  async printLine(text: string): Promise<void> {
    this.erase();
    await complain(sanitise(text));
  }

  /** Erases the moving line, so that something else can be printed. */
  erase(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #move(): void {
    if (!this.#isMoving || this.#stop !== undefined) return;
    this.#stop = startLine(() => this.#movingText(), this.#ascii, process.stderr);
  }

  #movingText(): string {
    if (this.#state === undefined) return this.#line;
    const { worst, count, nowMs } = this.#state;
    return `${count}${renderBriefly(worst, nowMs(), this.#words)}`;
  }
}

/** The state to show first. */
const rank: Readonly<Record<WaitState['prospect'], number>> = {
  lasting: 0,
  blocked: 1,
  unknown: 2,
  someone: 3,
  absent: 4,
  waiting: 5,
  reached: 6,
};
