import type { StageState, Status } from '../core/report/report.ts';

export type Style = 'passed' | 'blocked' | 'waiting' | 'unknown' | 'strong' | 'faint';

/** Glyphs and colours. They only repeat the words, so the words never depend on them. */
export interface Theme {
  readonly glyph: Readonly<Record<StageState, string>>;
  readonly arrow: string;
  readonly rule: string;
  /** Our own text, with the symbols that this terminal can show. */
  readonly prose: (text: string) => string;
  readonly paint: (style: Style, text: string) => string;
}

const glyphs: Record<StageState, string> = {
  passed: '✔',
  open: '◌',
  blocked: '✖',
  waiting: '◌',
  unreached: '·',
  notApplicable: '·',
  unknown: '?',
};
const asciiGlyphs: Record<StageState, string> = {
  passed: '+',
  open: '~',
  blocked: 'x',
  waiting: '~',
  unreached: '-',
  notApplicable: '-',
  unknown: '?',
};
const asciiTwins: Record<string, string> = {
  '→': '->',
  '←': '<-',
  '…': '...',
  '·': '-',
  '×': 'x',
  '≥': '>=',
  '≤': '<=',
  '–': '-',
  '—': '-',
  '“': '"',
  '”': '"',
  '‘': "'",
  '’': "'",
};

// Yellow and cyan are unreadable on white, and blue on black; these are readable on both.
const codes: Record<Style, string> = {
  passed: '32',
  blocked: '1;31',
  waiting: '35',
  unknown: '1;35',
  strong: '1',
  faint: '2',
};

export function createTheme(options: { readonly colour: boolean; readonly ascii?: boolean }): Theme {
  const ascii = options.ascii === true;
  return {
    glyph: ascii ? asciiGlyphs : glyphs,
    arrow: ascii ? '<-' : '←',
    rule: ascii ? '-' : '─',
    prose: ascii ? (text) => text.replace(/[→←…·×≥≤–—“”‘’]/g, (symbol) => asciiTwins[symbol] ?? '?') : (text) => text,
    paint: options.colour
      ? (style, text) => (text === '' ? '' : `\u001b[${codes[style]}m${text}\u001b[0m`)
      : (_style, text) => text,
  };
}

export const stageStyle: Readonly<Record<StageState, Style>> = {
  passed: 'passed',
  open: 'waiting',
  blocked: 'blocked',
  waiting: 'waiting',
  unreached: 'faint',
  notApplicable: 'faint',
  unknown: 'unknown',
};

export const statusStyle: Readonly<Record<Status, Style>> = {
  blocked: 'blocked',
  waiting: 'waiting',
  healthy: 'passed',
  unknown: 'unknown',
};

/** The glyph of a status in a list of targets. */
export const statusState: Readonly<Record<Status, StageState>> = {
  blocked: 'blocked',
  waiting: 'waiting',
  healthy: 'passed',
  unknown: 'unknown',
};
