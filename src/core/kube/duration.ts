const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  // The micro sign and the Greek letter, which look the same.
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Milliseconds of `1m30s` or `500ms`, as Go's time.ParseDuration reads it; undefined for any other text and for less
 * than nothing.
 */
export function parseGoDuration(text: string): number | undefined {
  const unsigned = text.replace(/^\+/, '');
  if (unsigned === '0') return 0;
  const parts = [...unsigned.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/gy)];
  const readLength = parts.reduce((length, [part]) => length + part.length, 0);
  if (parts.length === 0 || readLength !== unsigned.length) return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0);
}
