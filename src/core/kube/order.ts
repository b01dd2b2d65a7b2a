/** By code unit, so that the order is the same everywhere: a locale would change it. */
export function compareText(a: string, b: string): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
