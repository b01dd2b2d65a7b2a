import { commandsOf } from '../core/report/fix-commands.ts';
import type { Evidence, Finding, Fix, FixOutcome } from '../core/report/report.ts';
import { objectNameFrom } from '../terminal/verdict/nouns.ts';
import { cutList, leftOut } from './bounds.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { chip } from './marks.ts';
import { valueWords } from './moment.ts';
import type { AgeOf } from './moment.ts';
import { prose } from './prose.ts';

const mostEvidence = 40;

/** Facts, one a line: the object, the field, the value. */
export function evidenceList(
  evidence: readonly Evidence[],
  home: string | undefined,
  ageOf: AgeOf,
): Markup | undefined {
  if (evidence.length === 0) return undefined;
  const { shown, left } = cutList(evidence, mostEvidence);
  return html`<h4>Evidence</h4>
    <dl class="evidence">${shown.map((piece) => evidenceRow(piece, home, ageOf))}</dl>
    ${leftOut(left, left === 1 ? 'fact' : 'facts')}`;
}

function evidenceRow({ object, path = '', value, at }: Evidence, home: string | undefined, ageOf: AgeOf): Markup {
  const age = value !== undefined && valueWords(value, ageOf) !== value ? undefined : ageOf(at);
  const ago = age === undefined ? undefined : html` <span class="note">(${age} ago, <time>${at}</time>)</span>`;
  const told = value === '' ? '""' : value && valueWords(value, ageOf);
  const between = path.startsWith('event ') || path.startsWith('log[') ? ': ' : ' = ';
  return html`<div>
    <dt>${objectNameFrom(object, home)}</dt>
    <dd>
      ${path === '' ? '' : html`<code>${path}</code>`}${
        path === '' || told === undefined ? '' : between
      }${told === undefined ? '' : html`<code>${told}</code>`}${ago}
    </dd>
  </div>`;
}

const riskWords: Readonly<Record<Fix['risk'], string>> = {
  safe: 'safe',
  disruptive: 'disruptive',
  'data-loss': 'data loss',
};

/** Numbered steps with their risk, their commands and what each leads to. */
export function fixList(fixes: readonly Fix[], title: string): Markup | undefined {
  if (fixes.length === 0) return undefined;
  return html`<h4>${title}</h4>
    <ol class="fixes">
      ${fixes.map(
        (fix) =>
          html`<li>${riskChip(fix)} ${prose(fix.text)}${commandsOf(fix).map(commandBlock)}${outcome(fix.after)}</li>`,
      )}
    </ol>`;
}

/** Advice without a command changes nothing, so only what can be run is called safe. */
function riskChip(fix: Fix): Markup | undefined {
  if (fix.risk === 'safe') return commandsOf(fix).length === 0 ? undefined : chip('passed', riskWords.safe);
  return chip(fix.risk === 'data-loss' ? 'blocked' : 'waiting', riskWords[fix.risk] ?? fix.risk);
}

/** A command that can be copied whole. */
export function commandBlock(command: string): Markup {
  return html`<div class="command"><pre tabindex="0">${command}</pre></div>`;
}

function outcome(after: FixOutcome | undefined): Markup | undefined {
  if (after === undefined) return undefined;
  const { status, cause, summary } = after;
  if (status === 'blocked')
    return html`<p class="note">After this, the next obstacle is ${cause ?? 'another one'}: ${prose(summary)}</p>`;
  if (status === 'waiting')
    return html`<p class="note">After this, it waits (${cause ?? 'expected'}): ${prose(summary)}</p>`;
  return html`<p class="note">After this: ${prose(summary)}</p>`;
}

/** Consequences and advice, a line each with its evidence below. */
export function briefList(title: string, findings: readonly Finding[]): Markup | undefined {
  if (findings.length === 0) return undefined;
  const { shown, left } = cutList(findings, 20);
  return html`<h4>${title}</h4>
    <ul>
      ${shown.map(({ cause, confidence, summary }) => html`<li><code>${cause}</code> (${confidence}): ${prose(summary)}</li>`)}
    </ul>
    ${leftOut(left, left === 1 ? 'finding' : 'findings')}`;
}

export function moreAbout(cause: string): Markup {
  return html`<p class="note">More: <code>kubectl csi explain ${cause}</code></p>`;
}
