import { UserError } from '../../core/kube/errors.ts';
import { filterOperators } from './template.ts';
import type { FilterOperator, Piece, Slice, Step, Steps, Template } from './template.ts';
import { unquote } from './unquote.ts';

/** What is wrong with a template, in words that follow "the jsonpath template … cannot be read:". */
class TemplateProblem extends Error {}

/** Reads what follows `-o jsonpath=`, in the dialect of kubectl. */
export function parseTemplate(text: string): Template {
  const example = "Write it as for kubectl, for example -o jsonpath='{.items[*].cause}'";
  if (text === '') throw new UserError('-o jsonpath needs a template', example);
  // kubectl prints such a template unchanged, which helps nobody.
  if (!text.includes('{')) throw new UserError(`the jsonpath template "${text}" has no expression in braces`, example);
  try {
    return nestRanges(splitExpressions(text));
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    throw new UserError(`the jsonpath template "${text}" cannot be read: ${error.message}`, example);
  }
}

/** A text, or the steps and keywords of one expression. */
type Raw = { readonly text: string } | Expression;
interface Expression {
  readonly steps: Steps;
  readonly keyword: string | undefined;
}

function splitExpressions(text: string): Raw[] {
  const found: Raw[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{', at);
    const end = open < 0 ? text.length : open;
    if (end > at) found.push({ text: text.slice(at, end) });
    if (open < 0) break;
    const reader = new ExpressionReader(text, open + 1);
    found.push(reader.read());
    at = reader.at;
  }
  return found;
}

/**
 * Puts the pieces between `{range …}` and `{end}` into the range. A range without an end goes to the end of the
 * template.
 */
function nestRanges(raw: readonly Raw[]): Template {
  const open: Piece[][] = [[]];
  for (const one of raw) {
    const inner = open.at(-1) as Piece[];
    if ('text' in one) inner.push({ type: 'text', text: one.text });
    else if (one.keyword === undefined) inner.push({ type: 'expression', steps: one.steps });
    else if (one.keyword === 'range') {
      const body: Piece[] = [];
      inner.push({ type: 'range', steps: one.steps, body });
      open.push(body);
    } else if (open.length === 1) throw new TemplateProblem('{end} has no {range …} before it');
    else open.pop();
  }
  return open[0] as Piece[];
}

const number = /[+-]?[\d.]+/y;
/** Up to a character that cannot be in a name, unless a backslash is before it. */
const fieldName = /(?:\\[^]|[^ \t\r\n.,[\]$@{}\\])*/y;
const word = /[^ \t\r\n.,[\]$@{}]+/y;
const sliceForm = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const comparison = /^([^!<>=]+)([!<>=]+)(.+)$/;

/** Reads one expression from after its opening brace to after its closing one. */
class ExpressionReader {
  readonly #text: string;
  readonly #steps: Step[] = [];
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  read(): Expression {
    let keyword: string | undefined;
    const opening = this.at - 1;
    for (;;) {
      const character = this.#text[this.at];
      if (character === undefined || character === '\n' || character === '\r')
        throw new TemplateProblem(`the brace of ${shorten(this.#text.slice(opening))} is not closed`);
      this.at += 1;
      if (character === '}') return { steps: this.#steps, keyword };
      if (character === ' ' || character === '@' || character === '$') continue;
      if (character === '[') this.#steps.push(...this.#readBrackets());
      else if (character === '.') this.#readDot();
      else if (character === '"' || character === "'") this.#steps.push(this.#readQuote(character));
      else if (/[+\-\d]/.test(character)) this.#steps.push(this.#readNumber());
      else if (/[\p{L}_]/u.test(character)) keyword = this.#readWord() ?? keyword;
      else throw new TemplateProblem(`${JSON.stringify(character)} has no meaning there`);
    }
  }

  #match(pattern: RegExp, from: number): string {
    pattern.lastIndex = from;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.at = from + found.length;
    return found;
  }

  #readDot(): void {
    if (this.#text[this.at] === '.') {
      if (this.#steps.at(-1)?.type === 'descendants') throw new TemplateProblem('".." follows ".."');
      this.#steps.push({ type: 'descendants' });
      this.at += 1;
      if (!/[\p{L}\p{N}_]/u.test(this.#text[this.at] ?? '')) return;
    }
    const name = this.#match(fieldName, this.at);
    this.#steps.push(name === '*' ? { type: 'children' } : { type: 'field', name: name.replaceAll('\\', '') });
  }

  #readNumber(): Step {
    const text = this.#match(number, this.at - 1);
    const value = Number(text);
    if (!Number.isFinite(value)) throw new TemplateProblem(`${text} is not a number`);
    return { type: 'constant', value };
  }

  /** `range` and `end` are keywords, `true` and `false` are values, and there are no other words. */
  #readWord(): string | undefined {
    const text = this.#match(word, this.at - 1);
    if (text === 'range' || text === 'end') return text;
    if (text !== 'true' && text !== 'false')
      throw new TemplateProblem(`"${text}" is no keyword; a field begins with a dot: .${text}`);
    this.#steps.push({ type: 'constant', value: text === 'true' });
    return undefined;
  }

  #readQuote(quote: string): Step {
    const begin = this.at;
    for (; this.#text[this.at] !== quote || this.#text[this.at - 1] === '\\'; this.at += 1)
      if (this.at >= this.#text.length || this.#text[this.at] === '\n')
        throw new TemplateProblem(`the quote of ${shorten(this.#text.slice(begin - 1))} is not closed`);
    const quoted = this.#text.slice(begin, this.at);
    this.at += 1;
    const text = unquote(quoted, quote);
    if (text === undefined) throw new TemplateProblem(`${quote}${quoted}${quote} has an unknown escape`);
    return { type: 'quote', text };
  }

  #readBrackets(): Steps {
    if (this.#text.startsWith('?(', this.at)) return [this.#readFilter()];
    const end = this.#text.indexOf(']', this.at);
    if (end < 0) throw new TemplateProblem(`the bracket of ${shorten(this.#text.slice(this.at - 1))} is not closed`);
    const inside = this.#text.slice(this.at, end);
    this.at = end + 1;
    const members = inside.split(',');
    if (members.length === 1) return bracketSteps(inside);
    return [{ type: 'union', members: members.map((member) => bracketSteps(member.trim())) }];
  }

  #readFilter(): Step {
    const begin = this.at + 2;
    const end = this.#endOfFilter(begin);
    if (this.#text[end + 1] !== ']') throw new TemplateProblem('a filter ends with ")]"');
    const inside = this.#text.slice(begin, end);
    this.at = end + 2;
    const [, left = inside, operator = 'exists', right = ''] = comparison.exec(inside) ?? [];
    if (!filterOperators.some((known) => known === operator))
      throw new TemplateProblem(`a filter cannot compare with ${operator}`);
    return {
      type: 'filter',
      left: stepsOf(left),
      operator: operator as FilterOperator,
      right: stepsOf(right),
    };
  }

  /** The first `)` that is not within the one quoted text that a filter may have. */
  #endOfFilter(begin: number): number {
    let quote: string | undefined;
    let isQuoteOver = false;
    for (let at = begin; at < this.#text.length && this.#text[at] !== '\n'; at += 1) {
      const character = this.#text[at] as string;
      if (character === ')' && (quote === undefined || isQuoteOver)) return at;
      if (character !== '"' && character !== "'") continue;
      if (quote === undefined) quote = character;
      else if (character === quote && this.#text[at - 1] !== '\\') isQuoteOver = true;
    }
    throw new TemplateProblem(`the filter ${shorten(this.#text.slice(begin - 3))} is not closed`);
  }
}

/** The steps of a text that is written without braces, such as a side of a filter. */
function stepsOf(text: string): Steps {
  const { steps, keyword } = new ExpressionReader(`{${text}}`, 1).read();
  if (keyword !== undefined) throw new TemplateProblem(`{${keyword}} cannot be within another expression`);
  return steps;
}

function bracketSteps(inside: string): Steps {
  const key = /^'([^']*)'$/.exec(inside)?.[1];
  if (key !== undefined) return stepsOf(`.${key}`);
  if (inside === '*') return [{ type: 'slice', slice: parseSlice(':', '', ':', undefined) }];
  const match = sliceForm.exec(inside);
  if (match === null) throw new TemplateProblem(`[${inside}] is not an index; a key is quoted as ['key']`);
  const [whole, from = '', to, step] = match;
  return [{ type: 'slice', slice: parseSlice(whole, from, to, step) }];
}

function parseSlice(whole: string, from: string, to: string | undefined, step: string | undefined): Slice {
  return {
    from: indexOf(whole, from),
    to: indexOf(whole, to?.slice(1)),
    step: indexOf(whole, step?.slice(1)),
    isIndex: to === undefined,
  };
}

function indexOf(whole: string, digits: string | undefined): number | undefined {
  if (digits === undefined || digits === '') return undefined;
  if (digits === '-') throw new TemplateProblem(`[${whole}] is not an index`);
  return Number(digits);
}

const shorten = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
