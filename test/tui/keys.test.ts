import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { keyNames } from '../../src/tui/input/key-names.ts';
import type { InkKey } from '../../src/tui/input/key-names.ts';
import { commandOf, keys } from '../../src/tui/keys.ts';
import { TestScreen } from '../kit/tui-screen.ts';

const none: InkKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
};

describe('the table of keys', () => {
  it('gives each key one meaning in each situation', () => {
    for (const situation of ['list', 'text'] as const) {
      const names = keys
        .filter(({ where }) => where === undefined || where === situation)
        .flatMap(({ names: own }) => own);
      expect(
        names.filter((name, index) => names.indexOf(name) !== index),
        situation,
      ).toEqual([]);
    }
  });

  it('is printed whole by the help', () => {
    const { lines } = new TestScreen(undefined, { columns: 200, rows: 80 }).press('?');
    for (const { names, does } of keys)
      expect(
        lines.some((line) => line.includes(`  ${names.join(' ')} `) && line.endsWith(` ${does}`)),
        does,
      ).toBe(true);
  });

  it('is printed whole by its page', async () => {
    const page = await readFile(new URL('../../docs/tui.md', import.meta.url), 'utf8');
    const section = page.slice(page.indexOf('## Keys'), page.indexOf('## How it is built'));
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toEqual(
      keys.map(({ names, does }) => `| ${names.map((name) => `\`${name}\``).join(' ')} | ${does} |`),
    );
  });

  it('means a namespace in a list and the next find in a text by n', () => {
    expect(commandOf('n', 'list')).toBe('namespace');
    expect(commandOf('n', 'text')).toBe('nextFound');
    expect(commandOf('F13', 'list')).toBeUndefined();
  });
});

describe('the names of keys', () => {
  it('takes apart what was typed faster than it was read', () => {
    expect(keyNames('jj/web\r', none)).toEqual(['j', 'j', '/', 'w', 'e', 'b', 'enter']);
    expect(keyNames('a\u0004\u007f', none)).toEqual(['a', 'ctrl-d', 'backspace']);
  });

  it('knows the keys without a letter', () => {
    expect(keyNames('', { ...none, pageDown: true })).toEqual(['pagedown']);
    expect(keyNames('d', { ...none, ctrl: true })).toEqual(['ctrl-d']);
    expect(keyNames('', { ...none, tab: true, shift: true })).toEqual(['shift-tab']);
    expect(keyNames('', { ...none, escape: true })).toEqual(['esc']);
  });

  it('reads escape and another key that came together as two keys', () => {
    expect(keyNames('r', { ...none, meta: true })).toEqual(['esc', 'r']);
    expect(keyNames('', { ...none, meta: true, escape: true })).toEqual(['esc', 'esc']);
    expect(keyNames('', { ...none, meta: true, return: true })).toEqual(['esc', 'enter']);
  });

  it('lets no control character into a text', () => {
    expect(keyNames('\u009b31m\u0000x', none)).toEqual(['3', '1', 'm', 'x']);
  });
});
