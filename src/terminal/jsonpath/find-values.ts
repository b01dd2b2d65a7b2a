import { UserError } from '../../core/kube/errors.ts';
import type { FilterOperator, Slice, Step, Steps, Template } from './template.ts';

/**
 * The values of each text and expression, in the order of the template; a range gives those of its body once for each
 * value. A field that is missing gives none, as with kubectl's --allow-missing-template-keys.
 */
export function findValues(template: Template, document: unknown): unknown[][] {
  return template.flatMap((piece): unknown[][] => {
    if (piece.type === 'text') return [[piece.text]];
    const values = follow(piece.steps, [document]);
    return piece.type === 'expression' ? [values] : values.flatMap((value) => findValues(piece.body, value));
  });
}

function follow(steps: Steps, values: readonly unknown[]): unknown[] {
  return steps.reduce<unknown[]>((from, step) => take(step, from), [...values]);
}

function take(step: Step, values: readonly unknown[]): unknown[] {
  switch (step.type) {
    case 'field':
      return values.flatMap((value) =>
        isMap(value) && Object.hasOwn(value, step.name) ? [Reflect.get(value, step.name)] : [],
      );
    case 'children':
      return values.flatMap(childrenOf);
    case 'descendants':
      return values.flatMap(withDescendants);
    case 'slice':
      return values.filter(isSet).flatMap((value) => sliceOf(listOf(value, 'an index'), step.slice));
    case 'union':
      return step.members.flatMap((member) => follow(member, values));
    case 'filter':
      return values.flatMap((value) => listOf(value, 'a filter').filter((item) => passes(item, step)));
    case 'quote':
      return [step.text];
    case 'constant':
      return values.map(() => step.value);
  }
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isMap(value)
    ? Object.keys(value)
        .sort()
        .map((key) => Reflect.get(value, key))
    : [];
}

/** A value with all that is in it. Only what has something in it counts, as in kubectl. */
function withDescendants(value: unknown): unknown[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  const children = childrenOf(value);
  return children.length === 0 ? [] : [value, ...children.flatMap(withDescendants)];
}

function sliceOf(list: readonly unknown[], slice: Slice): readonly unknown[] {
  const { length } = list;
  const fromEnd = (index: number): number => (index < 0 ? index + length : index);
  const from = fromEnd(slice.from ?? 0);
  const to = slice.isIndex ? from + 1 : fromEnd(slice.to ?? length);
  if (from === to) return [];
  for (const index of [from, to - 1])
    if (index < 0 || index >= length)
      throw misfit(`the jsonpath template reads item ${index} of a list with ${length} items`);
  if (from > to) throw misfit(`the jsonpath template reads a list from item ${from} back to item ${to}`);
  const step = slice.step ?? 1;
  if (step <= 0) throw misfit(`the jsonpath template reads a list in steps of ${step}`);
  return list.slice(from, to).filter((_item, index) => index % step === 0);
}

function passes(item: unknown, { left, operator, right }: Extract<Step, { type: 'filter' }>): boolean {
  const lefts = follow(left, [item]);
  if (operator === 'exists') return lefts.length > 0;
  const rights = follow(right, [item]);
  if (lefts.length === 0 || rights.length === 0) return false;
  if (lefts.length > 1 || rights.length > 1)
    throw misfit('a filter of the jsonpath template compares more than one value at a time');
  return compare(lefts[0], operator, rights[0]);
}

/** kubectl also refuses to compare 1 with 1.5; there is no reason for that here. */
function compare(left: unknown, operator: Exclude<FilterOperator, 'exists'>, right: unknown): boolean {
  const isOrdered = operator !== '==' && operator !== '!=';
  const isComparable =
    (typeof left === 'string' && typeof right === 'string') ||
    (typeof left === 'number' && typeof right === 'number') ||
    (typeof left === 'boolean' && typeof right === 'boolean' && !isOrdered);
  if (!isComparable)
    throw misfit(`a filter of the jsonpath template compares ${nounOf(left)} with ${nounOf(right)} by ${operator}`);
  const [one, other] = [left, right] as [string, string] | [number, number];
  switch (operator) {
    case '==':
      return one === other;
    case '!=':
      return one !== other;
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    case '>=':
      return one >= other;
  }
}

function listOf(value: unknown, wish: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw misfit(`the jsonpath template has ${wish} for ${nounOf(value)}, which is not a list`);
}

function nounOf(value: unknown): string {
  if (!isSet(value)) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

const isSet = (value: unknown): boolean => value !== null && value !== undefined;
const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

function misfit(message: string): UserError {
  return new UserError(message, 'Compare the template with what the same command prints with -o json');
}
