/**
 * One JSON or YAML document. The items of a list are taken out while it is read, so that a large dump is not in memory
 * twice.
 */
export interface ParsedDocument {
  /** The document; for a list, without its items. */
  readonly head: unknown;
  readonly items?: readonly unknown[];
  /** The number of all items, also of those that were dropped. */
  readonly itemCount: number;
}

/** Whether items of a kind are kept; a dump has far more than storage. */
export type KeepsKind = (kind: string) => boolean;

/** Lists are kept, with any items: a list may be an item of a list. */
export function isList(kind: string): boolean {
  return kind.endsWith('List');
}

/** The keys of lists: `items` of a Kubernetes list, `objects` of a capture. */
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
