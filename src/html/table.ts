import { html } from './markup.ts';
import type { Markup, Part } from './markup.ts';

interface NumberColumn {
  readonly title: string;
}

/** The title of a column of numbers, which are aligned to the right. */
export function numbers(title: string): NumberColumn {
  return { title };
}

/** A table that becomes a list of cards on a narrow screen. */
export function cardTable(
  columns: readonly (string | NumberColumn)[],
  rows: readonly Markup[],
  caption?: Part,
): Markup {
  return html`<table class="cards">
    ${
      caption === undefined
        ? undefined
        : html`<caption>
            ${caption}
          </caption>`
    }
    <thead>
      <tr>
        ${columns.map((column) =>
          typeof column === 'string'
            ? html`<th scope="col">${column}</th>`
            : html`<th scope="col" class="num">${column.title}</th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}
