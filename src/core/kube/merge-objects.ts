/** Applies a JSON merge patch (RFC 7386): objects are merged, null removes a field, lists are replaced. */
export function mergeObjects(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = {
    ...(typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}),
  };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergeObjects(result[key], value);
  }
  return result;
}
