import { hang, padEnd, widest } from '../../terminal/wrap.ts';
import { keys, keyText } from '../keys.ts';
import type { Key } from '../keys.ts';
import { createTuiTheme } from '../theme.ts';
import type { Look } from '../theme.ts';

const groups: Readonly<Record<Key['group'], string>> = {
  move: 'moving',
  look: 'looking',
  find: 'finding',
  act: 'doing',
};

/** The table of keys, for people. */
export function helpLines(columns: number, look: Look): string[] {
  const theme = createTuiTheme(look);
  const width = widest(keys.map(keyText));
  const sections = (Object.keys(groups) as Key['group'][]).map((group) => [
    theme.paint('strong', groups[group]),
    ...keys
      .filter((key) => key.group === group)
      .flatMap((key) => hang(`  ${padEnd(keyText(key), width)}  `, key.does, columns)),
  ]);
  return sections.flatMap((section, index) => (index === 0 ? section : ['', ...section]));
}

/** The keys that one is likely to want here, in one line. */
export function hintLine(commands: readonly Key['command'][]): string {
  return commands
    .flatMap((command) => {
      const key = keys.find((one) => one.command === command && one.hint !== undefined);
      return key === undefined ? [] : [`${key.names[0] ?? ''} ${key.hint ?? ''}`];
    })
    .join('  ');
}
