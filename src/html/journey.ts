import type { Stage, StageResult } from '../core/report/report.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { glyphOf, stateWords, styleOf } from './marks.ts';
import type { AgeOf } from './moment.ts';
import { prose } from './prose.ts';

/** The stages in their order, drawn as a line that breaks where the verdict points. */
export function journey(stages: readonly StageResult[], deciding: Stage | undefined, ageOf: AgeOf): Markup | undefined {
  if (stages.length === 0) return undefined;
  return html`<ol class="journey" aria-label="Stages">
    ${stages.map((row) => stageOf(row, deciding, ageOf))}
  </ol>`;
}

function stageOf({ stage, state, note, since }: StageResult, deciding: Stage | undefined, ageOf: AgeOf): Markup {
  const isBroken = state === 'blocked' && stage === deciding;
  const age = state === 'passed' ? undefined : ageOf(since);
  const isShort = state === 'unreached' || state === 'notApplicable';
  return html`<li class="${styleOf(state)}${isShort ? ' short' : ''}">
    <span class="dot ${styleOf(state)}" aria-hidden="true">${glyphOf(state)}</span>
    <span class="stage">${stage}</span> ${
      isBroken
        ? html`<span class="broken">✖ broken here</span>`
        : html`<span class="${styleOf(state)}">${stateWords[state] ?? state}</span>`
    }${age === undefined ? '' : html` <span class="note">for ${age}</span>`}
    ${note === undefined || note === '' || state === 'unreached' ? '' : html`<span class="what">${prose(note)}</span>`}
  </li>`;
}
