const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `1m30s` or `500ms`, as Go's time.ParseDuration reads it; undefined for any other text. */
export function parseGoDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gy)];
  const readLength = parts.reduce((length, [part]) => length + part.length, 0);
  if (parts.length === 0 || readLength !== text.length) return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0);
}
