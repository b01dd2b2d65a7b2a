import { widest, wrapText } from '../../terminal/wrap.ts';
import { keyText, keys } from '../keys.ts';
import type { Key } from '../keys.ts';
import { memoiseLast } from '../memoise-last.ts';
import type { Row } from './rows.ts';
import { rowIn } from './sheet.ts';
import type { Sheet } from './sheet.ts';

const groups: Readonly<Record<Key['group'], string>> = {
  move: 'Move',
  look: 'Look',
  find: 'Find and sort',
  act: 'Act',
};

/** The table of keys, for people. */
export const helpSheet = memoiseLast((width: number): Sheet => {
  const namesWidth = widest(keys.map(keyText));
  const sections = (Object.keys(groups) as Key['group'][]).map((group): Row[] => [
    { type: 'title', text: groups[group] },
    ...keys.filter((key) => key.group === group).flatMap((key) => keyRows(key, namesWidth, width)),
  ]);
  const rows = sections.flatMap((section, index): Row[] =>
    index === 0 ? section : [{ type: 'text', text: '' }, ...section],
  );
  return { notes: [], count: rows.length, rowAt: rowIn(rows), empty: '' };
});

/** A long description continues on lines without a key. */
function keyRows(key: Key, namesWidth: number, width: number): Row[] {
  const room = Math.max(10, width - namesWidth - 4);
  return wrapText(key.does, room).map((does, line) => ({
    type: 'key',
    names: line === 0 ? keyText(key) : '',
    does,
    namesWidth,
  }));
}
