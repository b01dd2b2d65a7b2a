import { ageText, parseTime } from '../../core/kube/time.ts';
import type { Trace, TraceGap, TraceMoment, TraceSpan } from '../../core/report/trace.ts';
import { cutList, leftOut } from '../../html/bounds.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { nameOf as spanName } from './account.ts';

const mostLanes = 24;

interface Scale {
  readonly from: number;
  readonly to: number;
}

/**
 * A lane for each stage and each component on one scale. The same facts are in the tables, so it is one picture for a
 * screen reader.
 */
export function renderLanes(trace: Trace): Markup | undefined {
  const scale = scaleOf(trace);
  if (scale === undefined) return undefined;
  const stages = trace.accounts.flatMap(({ object, spans }) =>
    spans.flatMap((span) => stageLane(span, trace.accounts.length > 1 ? objectName(object) : '', trace, scale)),
  );
  const components = [...Map.groupBy(trace.timeline, ({ component }) => component)].map(([name, moments]) =>
    lane(name, html`${gaps(trace.gaps, scale)}${ticks(moments, scale)}`),
  );
  const { shown, left } = cutList([...stages, ...components], mostLanes);
  const trouble = trace.timeline.some(({ isTrouble }) => isTrouble);
  return html`<div class="lanes">
      ${shown}<span class="lane"></span>
      <div class="axis" aria-hidden="true">${axis(scale)}</div>
    </div>
    <p class="note">
      Bars are stages, dots are
      entries${trouble ? ', ✖ is trouble' : ''}${trace.gaps.length > 0 ? ', and grey is time without any record' : ''}.
    </p>
    ${leftOut(left, left === 1 ? 'component' : 'components')}`;
}

function scaleOf({ timeline, takenAt, accounts }: Trace): Scale | undefined {
  const moments = [
    ...timeline.flatMap(({ at, until }) => [at, until]),
    ...accounts.flatMap(({ spans }) => spans.flatMap(({ from, to, state }) => [from, state === 'open' ? takenAt : to])),
  ].flatMap((moment) => parseTime(moment) ?? []);
  let [from, to] = [Infinity, -Infinity];
  for (const moment of moments) {
    from = Math.min(from, moment);
    to = Math.max(to, moment);
  }
  return to > from ? { from, to } : undefined;
}

function lane(name: string, content: Markup): Markup {
  return html`<span class="lane">${name}</span
    ><svg aria-hidden="true">
      <line class="track" x1="0" x2="100%" y1="11" y2="11" />
      ${content}
    </svg>`;
}

function stageLane(span: TraceSpan, whose: string, { takenAt }: Trace, scale: Scale): Markup[] {
  const from = parseTime(span.from);
  const to = span.state === 'open' ? parseTime(takenAt) : parseTime(span.to);
  if (from === undefined || to === undefined || to < from) return [];
  const open = span.state === 'open' ? ' (still open)' : '';
  return [
    lane(`${spanName(span)}${open}${whose === '' ? '' : `, ${whose}`}`, bar(`span ${span.state}`, { from, to }, scale)),
  ];
}

function gaps(all: readonly TraceGap[], scale: Scale): Markup[] {
  return all.flatMap((gap) => {
    const [from, to] = [parseTime(gap.from), parseTime(gap.to)];
    return from === undefined || to === undefined ? [] : bar('gap', { from, to }, scale);
  });
}

/** At least as wide as can be seen. */
function bar(look: string, { from, to }: Scale, scale: Scale): Markup {
  const start = share(from, scale);
  return html`<rect
    class="${look}"
    x="${start}%"
    y="4"
    height="14"
    rx="2"
    width="${Math.max(0.4, round(share(to, scale) - start))}%"
  />`;
}

function ticks(moments: readonly TraceMoment[], scale: Scale): Markup[] {
  const drawn = new Map<string, Markup>();
  for (const { at, until, isTrouble } of moments)
    for (const moment of [at, until]) {
      const time = parseTime(moment);
      if (time === undefined) continue;
      const x = share(time, scale);
      if (isTrouble) drawn.set(`✖${x}`, html`<text class="cross" x="${x}%" y="16">✖</text>`);
      else drawn.set(String(x), html`<circle class="tick" cx="${x}%" cy="11" r="4" />`);
    }
  return [...drawn.values()];
}

function share(moment: number, { from, to }: Scale): number {
  return round(Math.min(100, Math.max(0, ((moment - from) / (to - from)) * 100)));
}

const round = (number: number): number => Math.round(number * 10) / 10;

function axis({ from, to }: Scale): Markup[] {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => html`<span>+${ageText(0, (to - from) * part)}</span>`);
}
