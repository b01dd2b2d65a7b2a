import type { StageState } from '../core/report/report.ts';
import { createTheme, stageStyle } from '../terminal/theme.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';

const { glyph } = createTheme({ colour: false });

/** The state of a stage in a word. */
export const stateWords: Readonly<Record<StageState, string>> = {
  passed: 'passed',
  open: 'in progress',
  blocked: 'blocked',
  waiting: 'waiting',
  unreached: 'not reached',
  notApplicable: 'not needed',
  unknown: 'not known',
};

/** The class that colours a state. */
export function styleOf(state: StageState): string {
  return stageStyle[state] ?? 'unknown';
}

export function glyphOf(state: StageState): string {
  return glyph[state] ?? glyph.unknown;
}

/** A glyph and its word. Screen readers skip the glyph, since the word has the same meaning. */
export function mark(state: StageState, word: string): Markup {
  return html`<span class="mark ${styleOf(state)}"><span aria-hidden="true">${glyphOf(state)}</span> ${word}</span>`;
}

/** The same in a coloured pill. */
export function chip(state: StageState, word: string): Markup {
  return html`<span class="chip ${styleOf(state)}"><span aria-hidden="true">${glyphOf(state)}</span> ${word}</span>`;
}
