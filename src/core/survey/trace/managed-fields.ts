import { parseTime } from '../../kube/time.ts';

interface Managed {
  readonly metadata: {
    readonly creationTimestamp?: string;
    readonly managedFields?: readonly {
      readonly manager?: string;
      readonly operation?: string;
      readonly time?: string;
      readonly subresource?: string;
      readonly fieldsV1?: unknown;
    }[];
  };
}

/**
 * The last write of one manager to an object. The server keeps one time for all fields of a manager, that of its last
 * change (meta/v1 ManagedFieldsEntry): for a manager of several fields it is the latest moment for each of them.
 */
export interface Write {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  readonly at: number;
  /** What it owns, as paths of names: `spec.volumeName`, `metadata.annotations.NAME`, `metadata.finalizers.NAME`. */
  readonly fields: readonly (readonly string[])[];
}

export function writesOf({ metadata }: Managed): readonly Write[] {
  return (metadata.managedFields ?? [])
    .flatMap(({ manager, operation, time, subresource, fieldsV1 }): Write[] => {
      const at = parseTime(time);
      return at === undefined || !manager
        ? []
        : [{ manager, operation: operation ?? '', subresource: subresource ?? '', at, fields: leavesOf(fieldsV1) }];
    })
    .sort((a, b) => a.at - b.at);
}

/**
 * The manager that created the object: the one with most of its fields, the earliest of several. Controllers that write
 * in the same second own only a field or two, and a creator that wrote again has a later time (see isCreation).
 */
export function creatorOf(object: Managed): Write | undefined {
  if (parseTime(object.metadata.creationTimestamp) === undefined) return undefined;
  const writes = writesOf(object).filter(({ subresource }) => subresource === '');
  const ofBody = writes.filter((write) => countBodyFields(write) > 0);
  if (ofBody.length === 0) return writes.find((write) => isCreation(object, write));
  return ofBody.reduce((best, write) => (countBodyFields(write) > countBodyFields(best) ? write : best));
}

/** Fields other than metadata and status, which creators rarely write. */
function countBodyFields({ fields }: Write): number {
  return fields.filter(([head]) => head !== 'metadata' && head !== 'status').length;
}

/** Whether a write is the one that created the object: after another write, only the time of that one is kept. */
export function isCreation({ metadata }: Managed, { at }: Write): boolean {
  const created = parseTime(metadata.creationTimestamp);
  return created !== undefined && Math.abs(at - created) <= 1000;
}

export function owns(write: Write, ...path: readonly string[]): boolean {
  return write.fields.some((field) => path.every((step, index) => field[index] === step));
}

/** The fields in words: `spec.volumeName, annotation pv.kubernetes.io/bind-completed, finalizer x`. */
export function fieldWords({ fields }: Write): string {
  const words = new Set(
    fields.map(([head = '', second = '', third]) => {
      if (head !== 'metadata') return [head, second].filter(Boolean).join('.');
      if (second === 'annotations' && third) return `annotation ${third}`;
      if (second === 'finalizers') return third ? `finalizer ${third}` : 'finalizers';
      return second;
    }),
  );
  return [...words].filter(Boolean).join(', ');
}

const mostDepth = 4;

/**
 * The paths of a FieldsV1 trie: `f:NAME` is a field, `v:VALUE` a member of a set, `k:KEY` an item of a list, `.` the
 * value.
 */
function leavesOf(fields: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof fields !== 'object' || fields === null || path.length >= mostDepth) return path.length > 0 ? [path] : [];
  const steps = Object.entries(fields).filter(([key]) => key !== '.');
  if (steps.length === 0) return path.length > 0 ? [path] : [];
  return steps.flatMap(([key, below]) => leavesOf(below, [...path, nameOf(key)]));
}

function nameOf(key: string): string {
  if (key.startsWith('f:')) return key.slice(2);
  if (!key.startsWith('v:') && !key.startsWith('k:')) return key;
  try {
    const value: unknown = JSON.parse(key.slice(2));
    if (typeof value === 'string') return value;
    if (typeof value === 'object' && value !== null) return Object.values(value).join('/');
    return key.slice(2);
  } catch {
    return key.slice(2);
  }
}
