/** The fields of Ink's `Key` that name a key or a modifier. */
export interface InkKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageDown: boolean;
  readonly pageUp: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly meta: boolean;
}

const special = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageDown', 'pagedown'],
  ['pageUp', 'pageup'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
] as const;

const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001b': 'esc',
  '\u007f': 'backspace',
  '\b': 'backspace',
  ' ': 'space',
};

/** The names of the keys, in the order in which they were pressed: fast typing and pasting send several at once. */
export function keyNames(input: string, key: InkKey): string[] {
  if (key.tab) return [key.shift ? 'shift-tab' : 'tab'];
  // Escape and another key that arrive together are two keys, as in vi.
  if (key.meta && key.escape) return ['esc', 'esc'];
  if (key.meta && key.return) return ['esc', 'enter'];
  const name = special.find(([field]) => key[field])?.[1];
  if (name !== undefined) return [name];
  if (key.meta && !key.ctrl) return ['esc', ...Array.from(input, nameOf)];
  if (key.ctrl && input.length === 1) return [`ctrl-${input}`];
  return Array.from(input, nameOf).filter((found) => found !== '');
}

function nameOf(character: string): string {
  const known = controls[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  if (code > 0 && code < 27) return `ctrl-${String.fromCodePoint(code + 96)}`;
  return code < 32 || (code >= 127 && code < 160) ? '' : character;
}
