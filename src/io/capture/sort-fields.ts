/** The same value with the keys of all its objects sorted. */
export function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sortFields(item)]);
  return Object.fromEntries(entries.sort(byText(([key]) => key)));
}

export function byText<T>(textOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [textOf(a), textOf(b)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  };
}
