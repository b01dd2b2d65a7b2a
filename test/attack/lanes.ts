/** Runs the cases in a few lanes at the same time, each lane one case after the other; the results keep the order. */
export async function inLanes<Case, Result>(
  cases: readonly Case[],
  lanes: number,
  run: (one: Case) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < cases.length) {
      const index = next;
      next += 1;
      results[index] = await run(cases[index] as Case);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
