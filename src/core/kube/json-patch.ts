import type { RawObject } from './snapshot.ts';

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/**
 * A JSON patch (RFC 6902) with the operations that fixes use: add, replace, remove and test. Undefined where it does
 * not apply.
 */
export function patchJson(object: RawObject, operations: readonly unknown[]): RawObject | undefined {
  const result = structuredClone(object) as unknown;
  for (const operation of operations)
    if (!isOperation(operation) || !applyOperation(result, operation)) return undefined;
  return result as RawObject;
}

function isOperation(value: unknown): value is Operation {
  return (
    typeof value === 'object' && value !== null && 'op' in value && 'path' in value && typeof value.path === 'string'
  );
}

function applyOperation(root: unknown, { op, path, value }: Operation): boolean {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.pop();
  const parent = steps.reduce<unknown>(stepInto, root);
  if (last === undefined || typeof parent !== 'object' || parent === null) return false;
  const exists = last !== '-' && stepInto(parent, last) !== undefined;
  switch (op) {
    case 'test':
      return JSON.stringify(stepInto(parent, last)) === JSON.stringify(value);
    case 'remove':
      return exists && removeMember(parent, last);
    case 'replace':
      return exists && setMember(parent, last, value, false);
    case 'add':
      return setMember(parent, last, value, true);
    default:
      return false;
  }
}

function stepInto(value: unknown, step: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
}

function removeMember(parent: object, member: string): boolean {
  if (Array.isArray(parent)) parent.splice(Number(member), 1);
  else delete (parent as Record<string, unknown>)[member];
  return true;
}

function setMember(parent: object, member: string, value: unknown, inserts: boolean): boolean {
  if (!Array.isArray(parent)) (parent as Record<string, unknown>)[member] = value;
  else if (member === '-') parent.push(value);
  else parent.splice(Number(member), inserts ? 0 : 1, value);
  return true;
}
