/** The field by which kubectl finds an item of a list again; lists of other fields are replaced (k8s.io/api patchMergeKey). */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  imagePullSecrets: 'name',
};

/** Applies a strategic merge patch: objects are merged, null removes a field, items of known lists are merged by their key. */
export function patchStrategic(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null) delete result[key];
    else
      result[key] = Array.isArray(value)
        ? patchList(result[key], value, mergeKeys[key])
        : patchStrategic(result[key], value);
  }
  return result;
}

function patchList(target: unknown, items: readonly unknown[], key: string | undefined): unknown {
  if (key === undefined || !Array.isArray(target)) return items.filter((item) => !isDeletion(item));
  let result: unknown[] = [...target];
  for (const item of items) {
    const at = result.findIndex((known) => isRecord(known) && isRecord(item) && known[key] === item[key]);
    if (isDeletion(item)) result = result.filter((_, index) => index !== at);
    else if (at < 0) result.push(patchStrategic({}, item));
    else result[at] = patchStrategic(result[at], item);
  }
  return result;
}

function isDeletion(item: unknown): boolean {
  return isRecord(item) && item['$patch'] === 'delete';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
