/** One JSON or YAML document. A list is taken apart while it is read, so that a large dump never stands in memory twice. */
export interface ParsedDocument {
  /** The document; of a list, all but its items. */
  readonly head: unknown;
  readonly items?: readonly unknown[];
  /** How many items there were, with those that nobody wanted. */
  readonly itemCount: number;
}

/** Says of an item's kind whether it is worth keeping; a dump holds far more than storage. */
export type KeepsKind = (kind: string) => boolean;

/** The lists we take apart: `items` of a Kubernetes list, `objects` of a capture. */
export const listKeys: ReadonlySet<string> = new Set(['items', 'objects']);

export function kindOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind } = value as { readonly kind?: unknown };
  return typeof kind === 'string' && kind !== '' ? kind : undefined;
}

/** Lets timers and signals run while a large file is parsed. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
