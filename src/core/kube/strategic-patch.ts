/**
 * The field by which an item of a list is found again (k8s.io/api patchMergeKey). Lists of other fields are replaced,
 * among them taints and tolerations.
 */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  imagePullSecrets: 'name',
  conditions: 'type',
  addresses: 'type',
  ownerReferences: 'uid',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
};
/** Lists of plain values whose items are added to what is there. */
const mergedValues: ReadonlySet<string> = new Set(['finalizers', 'podCIDRs']);
const deletionPrefix = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch: objects are merged, null removes a field, items of known lists are merged by their
 * key.
 */
export function patchStrategic(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  if (patch['$patch'] === 'delete') return {};
  const result: Record<string, unknown> = isRecord(target) && patch['$patch'] !== 'replace' ? { ...target } : {};
  for (const key of retained(patch, result)) delete result[key];
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(deletionPrefix)) removeValues(result, key.slice(deletionPrefix.length), value);
    else if (key.startsWith('$')) continue;
    else if (value === null) delete result[key];
    else result[key] = Array.isArray(value) ? patchList(result[key], value, key) : patchStrategic(result[key], value);
  }
  return result;
}

/** The fields that go because `$retainKeys` does not name them, as the old strategy of a Deployment. */
function retained(patch: Record<string, unknown>, target: Record<string, unknown>): string[] {
  const kept = patch['$retainKeys'];
  return Array.isArray(kept) ? Object.keys(target).filter((key) => !kept.includes(key)) : [];
}

function removeValues(result: Record<string, unknown>, key: string, values: unknown): void {
  const list = result[key];
  if (Array.isArray(list) && Array.isArray(values)) result[key] = list.filter((item) => !values.includes(item));
}

function patchList(target: unknown, items: readonly unknown[], field: string): unknown {
  if (mergedValues.has(field) && Array.isArray(target)) return [...new Set([...target, ...items])];
  const key = mergeKeys[field];
  const isReplaced = items.some((item) => isRecord(item) && item['$patch'] === 'replace');
  if (key === undefined || !Array.isArray(target) || isReplaced)
    return items.filter((item) => !isDirective(item)).map((item) => patchStrategic({}, item));
  let result: unknown[] = [...target];
  for (const item of items) {
    const at = result.findIndex((known) => isRecord(known) && isRecord(item) && known[key] === item[key]);
    if (isDirective(item)) result = result.filter((_, index) => index !== at);
    else if (at < 0) result.push(patchStrategic({}, item));
    else result[at] = patchStrategic(result[at], item);
  }
  return result;
}

function isDirective(item: unknown): boolean {
  return isRecord(item) && (item['$patch'] === 'delete' || item['$patch'] === 'replace');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
