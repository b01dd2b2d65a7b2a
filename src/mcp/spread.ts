/** One entry of each group before the second of any, so that what is cut off at the end repeats what is shown. */
export function spread<Entry>(entries: readonly Entry[], groupOf: (entry: Entry) => string): Entry[] {
  const seen = new Map<string, number>();
  const turns = entries.map((entry) => {
    const group = groupOf(entry);
    const turn = seen.get(group) ?? 0;
    seen.set(group, turn + 1);
    return { entry, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ entry }) => entry);
}
