import { isKnownKind } from '../core/kube/kinds.ts';
import type { ObjectRef } from '../core/report/report.ts';
import type { TargetRef } from '../core/kube/selection.ts';
import type { RawObject } from '../core/kube/snapshot.ts';
import type { ClusterFeed, Place, TuiPorts } from './ports.ts';
import { initialState, wantKey } from './state/state.ts';
import type { State, Want, Wanted } from './state/state.ts';
import type { Happened, Order } from './state/step.ts';
import { update } from './state/update.ts';
import { wantsOf } from './state/wants.ts';
import { openTerminal } from './terminal.ts';
import type { Terminal } from './terminal.ts';
import type { Look } from './theme.ts';

export interface TuiOptions {
  readonly ports: TuiPorts;
  readonly place: Place;
  readonly look: Look;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Ends it from outside. */
  readonly signal?: AbortSignal;
}

/** How long what is on the screen may be older than the newest frame: reading it again may cost requests, and tables are large. */
const refreshMs = ({ type }: Want): number => (type === 'rows' || type === 'status' ? 3000 : 1000);

/** Runs until someone quits. However it ends, the terminal is left as it was found. */
export async function runTui(options: TuiOptions): Promise<'quit' | 'interrupted'> {
  const ending = Promise.withResolvers<'quit' | 'interrupted'>();
  const { resolve: quit, reject: crash } = ending;
  const interrupt = (): void => quit('interrupted');
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  options.signal?.addEventListener('abort', interrupt, { once: true });
  const session = new Session(options, quit);
  const terminal = openTerminal({
    ...options,
    onKey: (name) => session.dispatch({ type: 'key', name }),
    onResize: (columns, rows) => session.dispatch({ type: 'resized', columns, rows }),
  });
  try {
    if (options.signal?.aborted === true) return 'interrupted';
    session.begin(terminal);
    return await ending.promise;
  } finally {
    terminal.close();
    process.off('uncaughtException', crash).off('unhandledRejection', crash);
    options.signal?.removeEventListener('abort', interrupt);
    await session.end();
  }
}

/** One run: the state, what is being asked, and the cluster that is open. */
class Session {
  private readonly options: TuiOptions;
  private readonly quit: (how: 'quit' | 'interrupted') => void;
  private state: State;
  private terminal: Terminal | undefined;
  private feed: ClusterFeed | undefined;
  private unsubscribe: (() => void) | undefined;
  /** Counts the places that were opened: what comes late from an earlier one is not heard. */
  private opening = 0;
  private readonly asked = new Map<string, number>();
  private later: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor(options: TuiOptions, quit: (how: 'quit' | 'interrupted') => void) {
    this.options = options;
    this.quit = quit;
    const { columns = 80, rows = 24 } = options.stdout;
    this.state = initialState({ size: { columns, rows }, look: options.look, place: options.place });
  }

  begin(terminal: Terminal): void {
    this.terminal = terminal;
    terminal.draw(this.state);
    void this.open(this.options.place);
  }

  dispatch = (happened: Happened): void => {
    if (this.isOver) return;
    const { state, orders } = update(this.state, happened);
    const isChanged = state !== this.state;
    this.state = state;
    if (isChanged) this.terminal?.draw(state);
    for (const order of orders) this.carryOut(order);
    this.askAll();
  };

  async end(): Promise<void> {
    this.isOver = true;
    clearTimeout(this.later);
    this.unsubscribe?.();
    await this.feed?.close();
  }

  private carryOut(order: Order): void {
    if (order.type === 'quit') this.quit(order.how);
    else if (order.type === 'open') void this.open(order.place);
    else if (order.type === 'copy') this.terminal?.copy(order.text);
    else void this.capture(order.path);
  }

  private async open(place: Place): Promise<void> {
    this.opening += 1;
    const opening = this.opening;
    const old = this.feed;
    this.unsubscribe?.();
    this.feed = undefined;
    this.asked.clear();
    try {
      await old?.close();
      const feed = await this.options.ports.open(place);
      if (opening !== this.opening || this.isOver) return await feed.close();
      this.feed = feed;
      this.unsubscribe = feed.subscribe((frame) => {
        if (opening === this.opening) this.dispatch({ type: 'frame', frame });
      });
    } catch (error) {
      if (opening === this.opening) this.dispatch({ type: 'failed', trouble: sentenceOf(error) });
    }
    this.askAll();
  }

  private async capture(path: string): Promise<void> {
    try {
      const file = await this.feed?.capture(path);
      this.dispatch({
        type: 'said',
        text: file === undefined ? 'there is nothing to save yet' : `saved to ${file}`,
        isTrouble: false,
      });
    } catch (error) {
      this.dispatch({ type: 'said', text: `nothing was saved: ${sentenceOf(error)}`, isTrouble: true });
    }
  }

  private askAll(): void {
    if (this.isOver) return;
    const now = performance.now();
    for (const want of wantsOf(this.state)) {
      const key = wantKey(want);
      const last = this.asked.get(key);
      const isFirst = !this.state.answers.has(key);
      if (last === undefined || (last !== Number.POSITIVE_INFINITY && (isFirst || now - last >= refreshMs(want))))
        void this.ask(want, key);
      else if (last !== Number.POSITIVE_INFINITY) this.askLater(last + refreshMs(want) - now);
    }
  }

  private askLater(milliseconds: number): void {
    this.later ??= setTimeout(() => {
      this.later = undefined;
      this.askAll();
    }, milliseconds);
  }

  private async ask(want: Want, key: string): Promise<void> {
    const { opening } = this;
    const frame = this.state.frames;
    this.asked.set(key, Number.POSITIVE_INFINITY);
    let happened: Happened;
    try {
      happened = { type: 'answered', want, value: await this.answer(want), frame };
    } catch (error) {
      happened = { type: 'unanswered', want, trouble: sentenceOf(error), frame };
    }
    if (opening !== this.opening) return;
    this.asked.set(key, performance.now());
    this.dispatch(happened);
  }

  private async answer(want: Want): Promise<Wanted[keyof Wanted]> {
    const { ports } = this.options;
    if (want.type === 'page') return ports.causePage(want.cause);
    if (want.type === 'contexts') return ports.contexts();
    const { feed } = this;
    if (feed === undefined) throw new Error('no cluster is open');
    switch (want.type) {
      case 'why':
        return isJudged(want.target) ? feed.why(want.target) : undefined;
      case 'trace':
        return isJudged(want.target) ? feed.trace(want.target) : undefined;
      case 'events':
        return feed.events(want.target === undefined || !isJudged(want.target) ? undefined : want.target);
      case 'yaml':
        return isJudged(want.target) ? yamlOf(await feed.object(want.target)) : undefined;
      case 'rows':
        return feed.rows(want.kind);
      case 'probe':
        return feed.probe(want.driver, { exec: want.exec });
      case 'status':
        return feed.status();
      case 'namespaces':
        return feed.namespaces();
    }
  }
}

function isJudged(target: ObjectRef): target is ObjectRef & TargetRef {
  return isKnownKind(target.kind);
}

/** As `kubectl get -o yaml` shows it: who wrote which field is left out. */
async function yamlOf(object: RawObject | undefined): Promise<string | undefined> {
  if (object === undefined) return undefined;
  const { renderYaml } = await import('../terminal/structured.ts');
  const { managedFields: _, ...metadata } = object.metadata;
  return renderYaml({ ...object, metadata });
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
