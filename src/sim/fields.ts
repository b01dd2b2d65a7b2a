/** Objects of a snapshot are untrusted and untyped: these read a field and never throw. */
export function valueAt(object: unknown, ...path: readonly (string | number)[]): unknown {
  let value: unknown = object;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

export function textAt(object: unknown, ...path: readonly (string | number)[]): string {
  const value = valueAt(object, ...path);
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

export function numberAt(object: unknown, ...path: readonly (string | number)[]): number {
  const value = valueAt(object, ...path);
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export function listAt(object: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value : [];
}

export function entriesAt(
  object: unknown,
  ...path: readonly (string | number)[]
): readonly (readonly [string, unknown])[] {
  const value = valueAt(object, ...path);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
