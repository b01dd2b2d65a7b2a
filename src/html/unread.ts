import type { Unread } from '../core/report/report.ts';
import { cutList, leftOut } from './bounds.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { mark } from './marks.ts';

const reasonWords: Readonly<Partial<Record<string, string>>> = {
  forbidden: 'forbidden',
  absent: 'not installed in this cluster',
  failed: 'the read failed',
};
const mostQuestions = 12;

/** What could not be read, and what it would have shown: without it, the page would look complete. */
export function unreadSection(unread: readonly Unread[]): Markup | undefined {
  if (unread.length === 0) return undefined;
  const groups = [
    ...Map.groupBy(unread, ({ resource, reason, message }) => `${resource}|${reason}|${message ?? ''}`).values(),
  ];
  const { shown, left } = cutList(groups);
  const isRefused = unread.some(({ reason }) => reason === 'forbidden');
  return html`<section class="notice" aria-labelledby="unread">
    <h2 id="unread">${mark('unknown', 'Could not be read')}</h2>
    <p>Nothing on this page speaks for what is missing here.</p>
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col">Why</th>
          <th scope="col">What it would have shown</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(unreadRow)}
      </tbody>
    </table>
    ${leftOut(left, left === 1 ? 'kind' : 'kinds')}
    ${isRefused ? html`<p class="note">List the missing rights: <code>kubectl csi rbac --check</code></p>` : ''}
  </section>`;
}

function unreadRow(group: readonly Unread[]): Markup | undefined {
  const [first] = group;
  if (first === undefined) return undefined;
  const { resource, reason, message } = first;
  const questions = [...new Set(group.map(({ needed }) => needed).filter((needed) => needed !== ''))];
  const { shown, left } = cutList(questions, mostQuestions);
  const told = message === undefined || message === '' || message === reason ? '' : html`: ${message}`;
  const more = left > 0 ? `; and ${left} more questions` : '';
  return html`<tr>
    <th scope="row"><code>${resource}</code></th>
    <td>${reasonWords[reason] ?? reason}${told}</td>
    <td>${shown.join('; ')}${more}</td>
  </tr>`;
}
