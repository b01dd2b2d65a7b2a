import { sanitise } from '../../terminal/sanitise.ts';
import { answerTo } from '../state/answers.ts';
import type { Chooser, State } from '../state/state.ts';
import { pendingSheet } from './pending.ts';
import { textRows } from './rows.ts';
import { listSheet } from './sheet.ts';
import type { Item, Sheet } from './sheet.ts';

const everyNamespace = 'all namespaces';

/** What there is to choose from. */
export function chooserSheet(state: State, chooser: Chooser): Sheet {
  const { purpose, position } = chooser;
  const { offers, trouble } = offersOf(state, chooser);
  // Without a list of namespaces one can still choose all of them.
  if (offers === undefined && purpose !== 'namespace') return pendingSheet({ trouble });
  const word = position.wanted.toLowerCase();
  const choices: readonly Item[] = [
    ...(purpose === 'namespace' ? [{ type: 'choice', id: everyNamespace, value: undefined } as const] : []),
    ...(offers ?? []).map((offer) => ({ type: 'choice', id: offer, value: offer }) as const),
  ].filter(({ id }) => id.toLowerCase().includes(word));
  const notes =
    trouble === undefined ? [] : [`Namespaces could not be read (${sanitise(trouble)}). Enter :ns NAME instead.`];
  return {
    ...listSheet(
      choices.map((item) => ({ row: { type: 'text', text: sanitise(item.id) }, item })),
      {
        notes: textRows(notes),
        empty: word === '' ? 'There is nothing to choose from.' : `Nothing matches "${position.wanted}".`,
      },
    ),
    isWide: true,
  };
}

function offersOf(
  state: State,
  { purpose, offers }: Chooser,
): { readonly offers?: readonly string[] | undefined; readonly trouble?: string | undefined } {
  if (purpose === 'copy') return { offers };
  const { last, trouble } = answerTo(state, { type: purpose === 'namespace' ? 'namespaces' : 'contexts' });
  return { offers: last?.value, trouble };
}
