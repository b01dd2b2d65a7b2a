import type { Source, SourceContext } from '../core/kube/snapshot.ts';
import type { StageState } from '../core/report/report.ts';
import { chip } from './marks.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';

/** What the counts of a document are called, in their order. */
const countNames: Readonly<Record<string, string>> = {
  blocked: 'blocked',
  blocking: 'blocking',
  warning: 'warnings',
  unknown: 'not known',
  waiting: 'waiting',
  info: 'waiting',
  healthy: 'healthy',
};

/** The namespace of an object, and its cluster where a page is about several. */
export function homeOf({ namespace, context }: { readonly namespace?: string; readonly context?: string }): string {
  return [context, namespace].filter((part) => part !== undefined).join(' / ') || '-';
}

/** What became of each of several clusters; those that were not read come first. */
export function contextsSection({ contexts = [] }: Source, open: ReadonlySet<string | undefined>): Markup | undefined {
  if (contexts.length === 0) return undefined;
  const rank = { unread: 0, read: 1, same: 2 } as const;
  const sorted = contexts.toSorted((one, other) => rank[one.status] - rank[other.status]);
  return html`<section aria-labelledby="clusters">
    <h2 id="clusters">Clusters</h2>
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col">State</th>
          <th scope="col">What was found</th>
        </tr>
      </thead>
      <tbody>
        ${sorted.map((context) => contextRow(context, open.has(context.name)))}
      </tbody>
    </table>
  </section>`;
}

function contextRow(context: SourceContext, isOpen: boolean): Markup {
  const { name, takenAt, message, sameAs } = context;
  const { state, word } = stateOf(context, isOpen);
  const counts = Object.entries(countNames).flatMap(([key, noun]) => {
    const count = context.summary?.[key] ?? 0;
    return count > 0 ? [`${count} ${noun}`] : [];
  });
  const found = [
    ...(sameAs === undefined ? [] : [`The same cluster and user as ${sameAs}.`]),
    ...((message ?? '') ? [message] : []),
  ];
  return html`<tr data-item>
    <th scope="row" class="name">${name}</th>
    <td>${chip(state, word)}</td>
    <td>
      ${[...(counts.length > 0 ? [counts.join(', ')] : []), ...found].join('. ')}${takenAt === undefined ? '' : html` <span class="note">as of ${takenAt}</span>`}
    </td>
  </tr>`;
}

/** A cluster of which a part could not be read is never in order. */
function stateOf(
  { status, summary = {}, message }: SourceContext,
  isOpen: boolean,
): { readonly state: StageState; readonly word: string } {
  if (status === 'same') return { state: 'notApplicable', word: 'read once' };
  if (status === 'unread') return { state: 'unknown', word: 'could not be read' };
  if ((summary['blocked'] ?? 0) + (summary['blocking'] ?? 0) > 0) return { state: 'blocked', word: 'stuck' };
  if ((summary['unknown'] ?? 0) > 0 || isOpen) return { state: 'unknown', word: 'not known' };
  return message === undefined
    ? { state: 'passed', word: 'nothing stuck' }
    : { state: 'unreached', word: 'see remark' };
}
