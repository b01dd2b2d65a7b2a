import type { Unread } from '../core/report/report.ts';
import { whyUnread } from '../core/report/why-unread.ts';
import { rightsCommand } from '../terminal/verdict/unread.ts';
import { cutList, leftOut } from './bounds.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { mark } from './marks.ts';
import { cardTable } from './table.ts';

const reasonWords: Readonly<Partial<Record<string, string>>> = {
  forbidden: 'forbidden',
  absent: 'not installed in this cluster',
  failed: 'the read failed',
};
const mostQuestions = 12;

/** At the top of a page, wherever the section is. */
export function unreadNotice(unread: readonly Unread[]): Markup | undefined {
  if (unread.length === 0) return undefined;
  const kinds = new Set(unread.map(({ resource }) => resource)).size;
  return html`<p>
    ${mark('unknown', 'Not everything could be read:')}
    <a href="#unread">${kinds} ${kinds === 1 ? 'kind' : 'kinds'} of objects</a>
  </p>`;
}

/** What could not be read, and what it would have shown: without it, the page would look complete. */
export function unreadSection(unread: readonly Unread[]): Markup | undefined {
  if (unread.length === 0) return undefined;
  const { shown, left } = cutList(groupsOf(unread));
  const isRefused = unread.some(({ reason }) => reason === 'forbidden');
  return html`<section class="notice" aria-labelledby="unread">
    <h2 id="unread">${mark('unknown', 'Could not be read')}</h2>
    <p>Nothing else on this page is about what is listed here.</p>
    ${cardTable(['Kind', 'Why', 'What it would have shown'], shown.map(unreadRow))}
    ${leftOut(left, left === 1 ? 'kind' : 'kinds')}
    ${isRefused ? html`<p class="note">List the missing rights: <code>${rightsCommand(unread)}</code></p>` : ''}
  </section>`;
}

interface UnreadGroup {
  readonly resources: readonly string[];
  readonly why: string;
  readonly questions: readonly string[];
}

/** Kinds that would have answered the same questions share a row. */
function groupsOf(unread: readonly Unread[]): UnreadGroup[] {
  const kinds = Map.groupBy(unread, (entry) => `${entry.resource}|${whyOf(entry)}`);
  const single = [...kinds.values()].flatMap((group): UnreadGroup[] => {
    const [first] = group;
    if (first === undefined) return [];
    const questions = [...new Set(group.map(({ needed }) => needed).filter((needed) => needed !== ''))];
    const contexts = [...new Set(group.flatMap(({ context }) => context ?? []))];
    const why = whyOf(first) + (contexts.length === 0 ? '' : ` in ${contexts.join(', ')}`);
    return [{ resources: [first.resource], why, questions }];
  });
  const same = Map.groupBy(single, ({ why, questions }) => JSON.stringify([why, questions.toSorted()]));
  return [...same.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, resources: [first, ...others].flatMap(({ resources }) => resources).toSorted() }],
  );
}

function whyOf(entry: Unread): string {
  const { reason, message } = entry;
  const words = reasonWords[reason] ?? whyUnread(entry);
  return message === undefined || message === '' || message === words ? words : `${words}: ${message}`;
}

function unreadRow({ resources, why, questions }: UnreadGroup): Markup {
  const { shown, left } = cutList(questions, mostQuestions);
  const more = left > 0 ? `; and ${left} more questions` : '';
  return html`<tr>
    <th scope="row">${resources.map((resource, index) => html`${index === 0 ? '' : ', '}<code>${resource}</code>`)}</th>
    <td>${why}</td>
    <td>${shown.join('; ')}${more}</td>
  </tr>`;
}
