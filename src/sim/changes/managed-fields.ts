import type { RawObject } from '../../core/kube/snapshot.ts';
import { listAt, textAt } from '../fields.ts';

/** The manager of a change, as the request names it. */
export interface Author {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
  readonly time: string;
}

type FieldSet = { readonly [field: string]: FieldSet };

/** An entry for each manager: which parts of the object it wrote last, and when. Lists count as one field. */
export function withAuthor(object: RawObject, fields: FieldSet, author: Author): RawObject {
  const { manager, operation, subresource, time } = author;
  const others = listAt(object, 'metadata', 'managedFields').filter((entry) => !isOf(entry, author));
  const entry = {
    manager,
    operation,
    apiVersion: object.apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource === undefined ? {} : { subresource }),
  };
  return { ...object, metadata: { ...object.metadata, managedFields: [...others, entry] } };
}

/** What this manager applied before. */
export function appliedBy(object: RawObject, author: Author): FieldSet {
  const entry = listAt(object, 'metadata', 'managedFields').find((candidate) => isOf(candidate, author));
  return ((entry as { fieldsV1?: FieldSet } | undefined)?.fieldsV1 ?? {}) as FieldSet;
}

function isOf(entry: unknown, { manager, operation, subresource = '' }: Author): boolean {
  return (
    textAt(entry, 'manager') === manager &&
    textAt(entry, 'operation') === operation &&
    textAt(entry, 'subresource') === subresource
  );
}

/** The fields of an applied object in the form of FieldsV1: `f:` before each name. */
export function fieldSetOf(value: unknown): FieldSet {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [`f:${name}`, fieldSetOf(member)]));
}

/** Takes out what a manager applied before and no longer applies. */
export function withoutForgotten(object: unknown, before: FieldSet, now: FieldSet): unknown {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object;
  const result: Record<string, unknown> = { ...object };
  for (const [field, inner] of Object.entries(before)) {
    const name = field.slice(2);
    const kept = now[field];
    if (kept !== undefined) result[name] = withoutForgotten(result[name], inner, kept);
    else if (Object.keys(inner).length === 0) delete result[name];
    else result[name] = withoutForgotten(result[name], inner, {});
  }
  return result;
}
