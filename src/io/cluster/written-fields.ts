type Fields = Readonly<Record<string, unknown>>;

/** Fields that a user writes to make a claim grow or change. */
const wishes = [
  ['f:spec', 'f:resources', 'f:requests'],
  ['f:spec', 'f:volumeAttributesClassName'],
] as const;
/** Fields that controllers write while it does. */
const marks = [
  ['f:status', 'f:allocatedResourceStatuses'],
  ['f:status', 'f:modifyVolumeStatus'],
] as const;

/**
 * Whether a bound claim may be growing or changing, from its metadata alone: managedFields show that its size or its
 * attributes class was written after its creation, or that a controller has set conditions. Without managedFields it
 * may.
 */
export function mayBeChanging(metadata: Fields): boolean {
  const { managedFields, creationTimestamp } = metadata;
  if (!Array.isArray(managedFields) || managedFields.length === 0) return true;
  return managedFields.some((entry: unknown) => {
    const { fieldsV1, time } = fieldsOf(entry);
    if (marks.some((path) => Object.keys(fieldsOf(at(fieldsV1, path))).length > 0)) return true;
    if (Object.keys(fieldsOf(at(fieldsV1, ['f:status', 'f:conditions']))).some((key) => key.startsWith('k:')))
      return true;
    return time !== creationTimestamp && wishes.some((path) => at(fieldsV1, path) !== undefined);
  });
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, step) => fieldsOf(node)[step], value);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
