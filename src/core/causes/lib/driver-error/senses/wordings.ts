/** Wordings of one sense by plain names. */
type Wordings = Readonly<Record<string, RegExp>>;

/** One pattern for all wordings of one or more tables, in their order, without regard to case. */
export function anyOf(...tables: readonly (Wordings | RegExp)[]): RegExp {
  const patterns = tables.flatMap((table) => (table instanceof RegExp ? [table] : Object.values(table)));
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'i');
}
