import { cutList, leftOut } from './bounds.ts';
import { html } from './markup.ts';
import type { Markup, Part } from './markup.ts';
import { ageCell } from './moment.ts';
import type { AgeOf } from './moment.ts';
import { cardTable } from './table.ts';
import { prose } from './prose.ts';

/** A cause and what it has stopped. */
export interface CauseRow {
  readonly cause: string;
  /** Where on this page the details are. */
  readonly anchor?: string;
  readonly mark: Part;
  readonly count: string;
  readonly oldest: string | undefined;
  readonly places: string;
  readonly summary: string;
}

/** One line a cause: what, how many, since when, where, and one sentence. */
export function causesTable(rows: readonly CauseRow[], caption: string, ageOf: AgeOf): Markup {
  const { shown, left } = cutList(rows);
  return html`${cardTable(
    ['Cause', 'What', 'Oldest', 'Where', 'Why'],
    shown.map((row) => causeRow(row, ageOf)),
    caption,
  )}
  ${leftOut(left, left === 1 ? 'cause' : 'causes')}`;
}

function causeRow({ cause, anchor, mark, count, oldest, places, summary }: CauseRow, ageOf: AgeOf): Markup {
  const name =
    anchor === undefined ? html`<code>${cause}</code>` : html`<a href="#${anchor}"><code>${cause}</code></a>`;
  return html`<tr>
    <th scope="row">${mark} ${name}</th>
    <td class="key">${count}</td>
    <td class="key" data-title="oldest">${ageCell(oldest, ageOf)}</td>
    <td data-title="in">${places}</td>
    <td>${prose(summary)}</td>
  </tr>`;
}

const mostPlaces = 3;

/** The namespaces, the first of them by name; the clusters where there are several. */
export function placesOf(objects: readonly { readonly namespace?: string; readonly context?: string }[]): string {
  const contexts = [...new Set(objects.flatMap(({ context }) => context ?? []))];
  if (contexts.length > mostPlaces)
    return `${contexts.length} clusters: ${contexts.slice(0, mostPlaces).join(', ')}, …`;
  if (contexts.length > 0) return contexts.join(', ');
  const places = [...new Set(objects.flatMap(({ namespace }) => namespace ?? []))].sort();
  if (places.length === 0) return '-';
  const { shown, left } = cutList(places, mostPlaces);
  return shown.join(', ') + (left === 0 ? '' : ` and ${left} more`);
}
