/** An object that the API server refused to save: not an answer of the storage. */
export interface InvalidObject {
  readonly kind: string;
  readonly group: string;
  readonly name: string;
  /** The field that it complains about, as a path: spec.vgPattern. */
  readonly path: string;
  readonly isMissing: boolean;
  /** The part of the text that says it. */
  readonly words: string;
}

/** apimachinery api/errors NewInvalid and validation/field: one field of one object, or several in brackets. */
const invalidObjectText =
  /\b([A-Z]\w*)\.([a-z0-9-]+(?:\.[a-z0-9-]+)+) \\?"([^"\\]+)\\?" is invalid: \[?(?:<nil>, )?([a-z]\w*(?:\.\w+|\[\d+\])*): (Required value|Invalid value|Unsupported value|Duplicate value|Too long|Forbidden)/;

/** The complaint about a custom resource, in which many drivers keep what they know of a volume. */
export function invalidObjectIn(text: string): InvalidObject | undefined {
  const match = invalidObjectText.exec(text);
  if (!match) return undefined;
  const [words, kind = '', group = '', name = '', path = '', complaint] = match;
  return { kind, group, name, path, isMissing: complaint === 'Required value', words };
}
