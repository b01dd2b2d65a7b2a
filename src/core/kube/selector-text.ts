import { UserError } from './errors.ts';
import type { LabelSelector, SelectorRequirement } from './kinds.ts';

const namePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const domainPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const longestName = 63;
const longestDomain = 253;

export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= longestName && namePattern.test(text));
}

export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  const domain = text.slice(0, Math.max(slash, 0));
  const name = text.slice(slash + 1);
  if (slash >= 0 && (domain.length > longestDomain || !domainPattern.test(domain))) return false;
  return name.length <= longestName && namePattern.test(name);
}

/** A whole number in the range of int64, as labels and taints are compared by Gt and Lt. */
export function parseInteger(text: string): bigint | undefined {
  if (text.length > 32 || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/**
 * The syntax of `kubectl -l`, as apimachinery pkg/labels parses it: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>5`.
 * An empty text selects everything.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const reader = new TokenReader(text);
  const matchLabels = new Map<string, string>();
  const matchExpressions: SelectorRequirement[] = [];
  while (reader.peek() !== undefined) {
    const { key, operator, values } = readRequirement(reader);
    const [value] = values;
    // A second value for the same key must hold too, so nothing matches: one map entry could not hold both.
    if (operator === 'Equals' && value !== undefined && !matchLabels.has(key)) matchLabels.set(key, value);
    else matchExpressions.push({ key, operator: operator === 'Equals' ? 'In' : operator, values });
    if (reader.peek() === undefined) break;
    if (reader.take() !== ',') reader.refuse('a comma');
    if (reader.peek() === undefined) reader.fail('nothing follows the last comma');
  }
  return {
    ...(matchLabels.size > 0 && { matchLabels: Object.fromEntries(matchLabels) }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}

interface Requirement {
  readonly key: string;
  readonly operator: 'Equals' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

function readRequirement(reader: TokenReader): Requirement {
  const isNegated = reader.peek() === '!';
  if (isNegated) reader.take();
  const key = reader.takeWord('a label key');
  if (!isLabelKey(key)) reader.fail(`"${key}" is not a label key`);
  if (isNegated) return { key, operator: 'DoesNotExist', values: [] };
  const next = reader.peek();
  if (next === undefined || next === ',') return { key, operator: 'Exists', values: [] };
  switch (reader.take()) {
    case '=':
    case '==':
      return { key, operator: 'Equals', values: [readValue(reader)] };
    case '!=':
      return { key, operator: 'NotIn', values: [readValue(reader)] };
    case 'in':
      return { key, operator: 'In', values: readValues(reader) };
    case 'notin':
      return { key, operator: 'NotIn', values: readValues(reader) };
    case '>':
      return { key, operator: 'Gt', values: [readNumber(reader)] };
    case '<':
      return { key, operator: 'Lt', values: [readNumber(reader)] };
    default:
      return reader.refuse(`one of =, !=, in, notin, <, > after "${key}"`);
  }
}

function readValue(reader: TokenReader): string {
  const next = reader.peek();
  return checkValue(reader, next === undefined || next === ',' ? '' : reader.takeWord('a value'));
}

function readNumber(reader: TokenReader): string {
  const value = readValue(reader);
  return parseInteger(value) === undefined ? reader.fail(`"${value}" is not a whole number`) : value;
}

/** Values may be empty, as in `x in (a,,b)` and `x in ()`. */
function readValues(reader: TokenReader): readonly string[] {
  if (reader.take() !== '(') reader.refuse('an opening parenthesis');
  const values = new Set<string>();
  for (;;) {
    const next = reader.peek();
    values.add(checkValue(reader, next === ',' || next === ')' ? '' : reader.takeWord('a value')));
    const separator = reader.take();
    if (separator === ')') return [...values].sort();
    if (separator !== ',') reader.refuse('a comma or a closing parenthesis');
  }
}

function checkValue(reader: TokenReader, value: string): string {
  return isLabelValue(value) ? value : reader.fail(`"${value}" is not a label value`);
}

class TokenReader {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(/==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g) ?? [];
  }

  peek(): string | undefined {
    return this.#tokens[this.#position];
  }

  take(): string | undefined {
    const token = this.peek();
    this.#position += 1;
    return token;
  }

  takeWord(expected: string): string {
    const token = this.take();
    return token === undefined || /^[=!(),<>]/.test(token) ? this.refuse(expected) : token;
  }

  /** The token taken last is not what belongs there. */
  refuse(expected: string): never {
    const found = this.#tokens[this.#position - 1];
    return this.fail(`expected ${expected}, but ${found === undefined ? 'it ends there' : `found "${found}"`}`);
  }

  fail(why: string): never {
    throw new UserError(
      `cannot read the label selector "${this.#text}": ${why}`,
      'write it as for kubectl, for example -l "app=web,tier!=cache,zone in (a,b)"',
    );
  }
}
