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
 * Who made the object: the manager of most of its fields, the earliest of several. Controllers that write in the same second
 * own a field or two, and a maker who wrote again later has a later time (see isCreation).
 */
export function creatorOf(object: Managed): Write | undefined {
  if (parseTime(object.metadata.creationTimestamp) === undefined) return undefined;
  const writes = writesOf(object).filter(({ subresource }) => subresource === '');
  const made = writes.filter((write) => ownedBody(write) > 0);
  if (made.length === 0) return writes.find((write) => isCreation(object, write));
  return made.reduce((best, write) => (ownedBody(write) > ownedBody(best) ? write : best));
}

/** What a maker gives an object: all but what is said about it. */
const ownedBody = ({ fields }: Write): number =>
  fields.filter(([head]) => head !== 'metadata' && head !== 'status').length;

/** Whether a write of the maker is still the first one: of a later one only the time of the last change is kept. */
export function isCreation({ metadata }: Managed, { at }: Write): boolean {
  const created = parseTime(metadata.creationTimestamp);
  return created !== undefined && Math.abs(at - created) <= 1000;
}

export function owns(write: Write, ...path: readonly string[]): boolean {
  return write.fields.some((field) => path.every((step, index) => field[index] === step));
}

/** `spec.volumeName, annotation pv.kubernetes.io/bind-completed, finalizer x`: what a person would call the fields. */
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

/** The paths of a FieldsV1 trie: `f:NAME` is a field, `v:VALUE` a member of a set, `k:KEY` an item of a list, `.` the thing itself. */
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
    return typeof value === 'string' ? value : Object.values(value as object).join('/');
  } catch {
    return key.slice(2);
  }
}
