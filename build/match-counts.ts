/**
 * Counts how often each rewrite of library code found what it rewrites. After a library update that a rewrite no longer fits
 * the program would still build, only slower or broken: the build fails instead, and names the rewrite.
 */
export class MatchCounts {
  readonly #expected = new Map<string, number>();
  readonly #found = new Map<string, number>();

  /** Announces a rewrite; what is returned is called with the number of matches, each time there are some. */
  expect(rewrite: string, atLeast: number): (matches?: number) => void {
    this.#expected.set(rewrite, atLeast);
    return (matches = 1) => this.#found.set(rewrite, (this.#found.get(rewrite) ?? 0) + matches);
  }

  check(): void {
    const problems = [...this.#expected].flatMap(([rewrite, atLeast]) => {
      const found = this.#found.get(rewrite) ?? 0;
      return found >= atLeast ? [] : [`"${rewrite}" matched ${found} times and ${atLeast} or more were expected`];
    });
    if (problems.length > 0)
      throw new Error(
        `A rewrite in build/ no longer fits the code it rewrites: ${problems.join('; ')}. ` +
          'Compare the library with the version before, then adapt or delete the rewrite, or correct its number.',
      );
  }
}
