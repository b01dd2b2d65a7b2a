/** The moment by which a whole probe has to end, even if the other side does not answer. */
export interface Deadline {
  readonly budgetMs: number;
  readonly remainingMs: () => number;
}

export function deadlineIn(milliseconds: number): Deadline {
  const end = performance.now() + milliseconds;
  return { budgetMs: milliseconds, remainingMs: () => Math.max(0, end - performance.now()) };
}

/** The result of the work, or `late` if the time is over first; the work itself is not stopped. */
export function within<Result, Late>(work: Promise<Result>, milliseconds: number, late: Late): Promise<Result | Late> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export const secondsText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${Number((milliseconds / 1000).toFixed(1))} s`;
