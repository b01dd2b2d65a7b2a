import type { ParsedFamily } from './exposition.ts';

/** The small part of PromQL that the alerts use: aggregations, matchers, a quotient and a comparison with a number. */
export interface Vector {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function evaluate(expression: string, families: ReadonlyMap<string, ParsedFamily>): Vector[] {
  const parser = new Parser(expression, families);
  const result = parser.comparison();
  parser.end();
  return result;
}

/** Whether an alert fires, if the expression was evaluated at these minutes: only for what has lasted. */
export function firesAt(minutes: readonly (readonly Vector[])[], forMinutes: number): Vector[][] {
  const since = new Map<string, number>();
  return minutes.map((vectors, minute) => {
    const present = new Map(vectors.map((vector) => [JSON.stringify(Object.entries(vector.labels).sort()), vector]));
    for (const key of since.keys()) if (!present.has(key)) since.delete(key);
    for (const key of present.keys()) if (!since.has(key)) since.set(key, minute);
    return [...present]
      .filter(([key]) => minute - (since.get(key) ?? minute) >= forMinutes)
      .map(([, vector]) => vector);
  });
}

class Parser {
  #rest: string;
  readonly #families: ReadonlyMap<string, ParsedFamily>;

  constructor(text: string, families: ReadonlyMap<string, ParsedFamily>) {
    this.#rest = text.trim();
    this.#families = families;
  }

  end(): void {
    if (this.#rest !== '') throw new Error(`not understood: ${this.#rest}`);
  }

  comparison(): Vector[] {
    const left = this.#quotient();
    const operator = this.#take(/^(==|>|<)\s*(\d+(?:\.\d+)?)/);
    if (operator === undefined) return left;
    const limit = Number(operator[2]);
    const holds = { '==': (v: number) => v === limit, '>': (v: number) => v > limit, '<': (v: number) => v < limit }[
      operator[1] as '==' | '>' | '<'
    ];
    return left.filter(({ value }) => holds(value));
  }

  #quotient(): Vector[] {
    const left = this.#term();
    if (this.#take(/^\//) === undefined) return left;
    const right = new Map(this.#term().map(({ labels, value }) => [keyOf(labels), value]));
    return left.flatMap(({ labels, value }) => {
      const divisor = right.get(keyOf(labels));
      return divisor === undefined ? [] : [{ labels, value: value / divisor }];
    });
  }

  #term(): Vector[] {
    const absent = this.#take(/^absent\(/);
    const aggregation = absent ?? this.#take(/^(max|min|sum|count)\s*(?:by\s*\(([^)]*)\))?\s*\(/);
    if (aggregation === undefined) return this.#selector();
    const inner = this.comparison();
    if (this.#take(/^\)/) === undefined) throw new Error(`a parenthesis is missing before: ${this.#rest}`);
    if (absent !== undefined) return inner.length === 0 ? [{ labels: {}, value: 1 }] : [];
    return aggregate(
      inner,
      aggregation[1] ?? '',
      (aggregation[2] ?? '').split(',').map((label) => label.trim()),
    );
  }

  #selector(): Vector[] {
    const found = this.#take(/^([a-z_]+)(?:\{([^}]*)\})?/);
    if (found === undefined) throw new Error(`not understood: ${this.#rest}`);
    const matchers = [...(found[2] ?? '').matchAll(/(\w+)(=~|=)"([^"]*)"/g)].map(
      ([, label = '', operator, value = '']) =>
        ({ labels }: Vector) =>
          operator === '=' ? (labels[label] ?? '') === value : new RegExp(`^(?:${value})$`).test(labels[label] ?? ''),
    );
    const samples = this.#families.get(found[1] ?? '')?.samples ?? [];
    return samples.filter((sample) => matchers.every((matches) => matches(sample)));
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.#rest);
    if (found === null) return undefined;
    this.#rest = this.#rest.slice(found[0].length).trimStart();
    return found;
  }
}

const keyOf = (labels: Readonly<Record<string, string>>): string => JSON.stringify(Object.entries(labels).sort());

function aggregate(vectors: readonly Vector[], how: string, by: readonly string[]): Vector[] {
  const groups = Map.groupBy(vectors, ({ labels }) =>
    JSON.stringify(by.filter((label) => label !== '').map((label) => [label, labels[label] ?? ''])),
  );
  return [...groups].map(([key, group]) => {
    const values = group.map(({ value }) => value);
    const combined: Readonly<Record<string, number>> = {
      max: Math.max(...values),
      min: Math.min(...values),
      sum: values.reduce((sum, value) => sum + value, 0),
      count: values.length,
    };
    return { labels: Object.fromEntries(JSON.parse(key) as [string, string][]), value: combined[how] ?? Number.NaN };
  });
}
