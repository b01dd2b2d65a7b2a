// Complete control sequences are removed first, with their payload: CSI, then the strings (OSC, DCS, SOS, PM, APC),
// each in its 7-bit and its C1 form (ECMA-48). A string without an end keeps its payload as plain text, so that an
// opening cannot hide the rest of a message. A string ends before the next opening, which keeps the search linear.
const controlSequence = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;
const controlString =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/g;
const escapeSequence = /\u001b[ -/]*[0-~]/g;
const lineBreak = /\r\n?|[\n\u000b\u000c\u0085\u2028\u2029]/g;
const control = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;
// Bidirectional controls reorder the line, and the others are invisible. Joiners stay: emoji and several scripts need
// them.
const unseen =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

// Any character that one of the patterns above could change; surrogates may be unpaired or invisible tags.
const suspect =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]/;

function isPlain(text: string): boolean {
  return !suspect.test(text) && text.trim() === text;
}

/** Makes text from a cluster safe for a terminal: it can neither move the cursor nor hide or reorder other text. */
export function sanitise(text: string, options: { readonly newlines?: boolean } = {}): string {
  if (isPlain(text)) return text;
  const safe = text
    .replace(controlSequence, '')
    .replace(controlString, '')
    .replace(escapeSequence, '')
    .replace(lineBreak, '\n')
    .replace(/\t/g, options.newlines ? '    ' : ' ')
    .replace(control, '')
    .replace(unseen, '')
    .toWellFormed();
  return options.newlines
    ? safe
    : safe
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join(' ');
}

/** The same report with every text sanitised, so that no renderer can forget one. */
export function sanitiseReport<R extends object>(report: R): R {
  return sanitiseValue(report) as R;
}

function sanitiseValue(value: unknown): unknown {
  if (typeof value === 'string') return sanitise(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let items: unknown[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      const safe = sanitiseValue(item);
      if (safe !== item) (items ??= [...(value as readonly unknown[])])[index] = safe;
    }
    return items ?? value;
  }
  // Nearly all of a report is plain text: what needs no change is not copied.
  const fields = value as Readonly<Record<string, unknown>>;
  let changed: Record<string, unknown> | undefined;
  for (const key in fields) {
    const item = fields[key];
    const safe = typeof item === 'string' && isPlain(item) ? item : sanitiseValue(item);
    if (safe !== item) (changed ??= { ...fields })[key] = safe;
  }
  return changed ?? value;
}
