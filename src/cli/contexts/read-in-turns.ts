/** How many clusters are read at once: each needs memory for its objects, and they share one processor. */
const mostAtOnce = 8;
/** A cluster that has not answered after this time needs no memory yet, and the next one begins. */
const silentMs = 2000;

export interface Turn {
  /** The cluster has answered. */
  readonly noteAnswer: () => void;
}

/**
 * Reads all, some at once. Those that do not respond do not delay the others, so that many of them take as long as one.
 */
export async function readInTurns<Item, Result>(
  items: readonly Item[],
  read: (item: Item, turn: Turn) => Promise<Result>,
  atOnce = mostAtOnce,
): Promise<Result[]> {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const enter = (): Promise<void> => {
    if (free === 0) return new Promise((resolve) => void waiting.push(resolve));
    free -= 1;
    return Promise.resolve();
  };
  return Promise.all(
    items.map(async (item) => {
      await enter();
      let holds = true;
      const leave = (): void => {
        if (holds) release();
        holds = false;
      };
      const timer = setTimeout(leave, silentMs);
      try {
        return await read(item, { noteAnswer: () => clearTimeout(timer) });
      } finally {
        clearTimeout(timer);
        leave();
      }
    }),
  );
}

/** The result, or undefined when the time is over first. */
export async function inTime<Result>(work: Promise<Result>, limitMs: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  // What fails after its time is not awaited any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
