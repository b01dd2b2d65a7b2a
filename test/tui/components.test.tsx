import { renderToString } from 'ink';
import type { ReactElement } from 'react';
import { describe, expect, it } from 'vitest';
import { Footer } from '../../src/tui/components/footer.tsx';
import { Header } from '../../src/tui/components/header.tsx';
import { Help } from '../../src/tui/components/help.tsx';
import { List } from '../../src/tui/components/list.tsx';
import { Pane } from '../../src/tui/components/pane.tsx';
import { Prompt } from '../../src/tui/components/prompt.tsx';
import { SidePane } from '../../src/tui/components/side-pane.tsx';
import { Table } from '../../src/tui/components/table.tsx';
import { Tabs } from '../../src/tui/components/tabs.tsx';
import { ThemeContext } from '../../src/tui/components/theme-context.ts';
import { createTuiTheme } from '../../src/tui/theme.ts';
import type { Look } from '../../src/tui/theme.ts';
import type { HeaderModel } from '../../src/tui/view-models/header.ts';
import { textRows } from '../../src/tui/view-models/rows.ts';
import type { CauseRow, CellRow } from '../../src/tui/view-models/rows.ts';

const plain: Look = { colour: false, ascii: false };
const ascii: Look = { colour: false, ascii: true };
const coloured: Look = { colour: true, ascii: false };

function draw(view: ReactElement, look = plain): string {
  return renderToString(<ThemeContext value={createTuiTheme(look)}>{view}</ThemeContext>, { columns: 200 });
}

describe('the header', () => {
  const header: HeaderModel = {
    context: 'arn:aws:eks:eu-central-1:123456789012:cluster/production',
    known: {
      namespace: 'all namespaces',
      freshness: { text: 'live', style: 'passed' },
      counts: [{ text: '3 stuck', style: 'blocked', glyph: 'blocked' }, { text: '1 waiting' }],
    },
  };

  it('has the counts at the right end', () => {
    expect(draw(<Header header={{ ...header, context: 'demo' }} width={66} />)).toBe(
      'kubectl csi  demo  all namespaces  live       ✖ 3 stuck  1 waiting',
    );
  });

  it('shows the end of a long context, and leaves out the name of the program for it', () => {
    expect(draw(<Header header={header} width={80} />)).toBe(
      'kubectl csi  …012:cluster/production  all namespaces  live  ✖ 3 stuck  1 waiting',
    );
    expect(draw(<Header header={header} width={70} />, ascii)).toBe(
      '...9012:cluster/production  all namespaces  live  x 3 stuck  1 waiting',
    );
  });

  it('says which cluster is being opened', () => {
    expect(draw(<Header header={{ context: 'demo' }} width={60} />)).toBe('kubectl csi  demo');
  });
});

describe('the tabs', () => {
  const panes = [
    { label: 'journey', isCurrent: true },
    { label: 'chain', isCurrent: false },
  ];

  it('mark the current one without colour too', () => {
    expect(draw(<Tabs navigation={{ type: 'tabs', tabs: panes }} width={40} />)).toBe('[journey] chain');
  });

  it('leave out the way to an object where there is no room for it', () => {
    const navigation = { type: 'trail', from: ['stuck'], title: 'pvc/cart -n shop', panes } as const;
    expect(draw(<Tabs navigation={navigation} width={50} />)).toBe('stuck > pvc/cart -n shop  [journey] chain');
    expect(draw(<Tabs navigation={navigation} width={34} />)).toBe('pvc/cart -n shop  [journey] chain');
  });
});

describe('a list', () => {
  const cause: CauseRow = {
    type: 'cause',
    status: 'blocked',
    fold: 'folded',
    cause: 'sc-missing',
    age: '34m',
    subject: '2 claims -n shop',
    summary: 'class fast-ssd does not exist',
    columns: { cause: 12, age: 5, subject: 18 },
  };
  const list = { notes: [], rows: [cause, { ...cause, fold: undefined }], selected: 1, empty: [], height: 3, left: 0 };

  it('shows what fits: the sentence only where there is room for it', () => {
    expect(draw(<List {...list} width={46} />)).toBe(
      ['  ▸ ✖ sc-missing     34m  2 claims -n shop', '>   ✖ sc-missing     34m  2 claims -n shop', ''].join('\n'),
    );
    expect(draw(<List {...list} width={76} />, ascii).split('\n')[0]).toBe(
      '  + x sc-missing     34m  2 claims -n shop    class fast-ssd does not exist',
    );
    expect(draw(<List {...list} width={24} />).split('\n')[0]).toBe('  ▸ ✖ sc-missing     34m …');
  });

  it('reverses the whole line under the cursor where there is colour', () => {
    const [first, second] = draw(<List {...list} width={46} />, coloured).split('\n');
    expect(first).toContain('\u001b[1m\u001b[31m✖');
    expect(second).toMatch(/^\u001b\[7m> {3}✖ sc-missing .* {4}\u001b\[27m$/);
  });

  it('says why it is empty', () => {
    expect(draw(<List {...list} rows={[]} selected={-1} empty={['nothing is stuck']} width={40} />)).toBe(
      '  nothing is stuck\n\n',
    );
  });
});

describe('a table', () => {
  const titles: CellRow = {
    type: 'cells',
    cells: [
      { text: 'NAME', style: 'strong' },
      { text: 'STATUS', style: 'strong' },
    ],
    widths: [8, 7],
  };
  const row: CellRow = { ...titles, cells: [{ text: 'cart' }, { text: 'Pending', style: 'waiting' }] };
  const table = { notes: [], titles, rows: [row], selected: 0, empty: [], height: 2 };

  it('has its titles above the rows', () => {
    expect(draw(<Table {...table} width={20} left={0} />)).toBe('  NAME       STATUS\n> cart       Pending');
  });

  it('scrolls sideways with its titles, and shows that something is cut off', () => {
    expect(draw(<Table {...table} width={12} left={0} />)).toBe('  NAME       …\n> cart       …');
    expect(draw(<Table {...table} width={12} left={6} />)).toBe('       STATUS\n>      Pending');
    expect(draw(<Table {...table} selected={-1} width={12} left={6} />, coloured)).toContain('\u001b[35mPending');
  });
});

describe('a text', () => {
  const rows = textRows(['\u001b[1mfix\u001b[0m', '  create the class fast-ssd']);

  it('shows where the wanted word is', () => {
    const pane = draw(<Pane rows={rows} found="CLASS" empty={[]} width={40} height={2} />, coloured);
    expect(pane).toBe('  \u001b[1mfix\u001b[22m\n    create the \u001b[7mclass\u001b[27m fast-ssd');
  });

  it('beside a list says how much is left out', () => {
    expect(draw(<SidePane rows={rows.slice(0, 1)} left={7} width={30} height={2} />)).toBe(
      ' │ \u001b[1mfix\u001b[22m\n │ 7 more lines',
    );
    expect(draw(<SidePane rows={[]} left={0} width={30} height={2} />, ascii)).toBe(' |\n |');
  });
});

describe('the last line', () => {
  it('has hints on the left and the place on the right', () => {
    const footer = { type: 'hints', hints: 'enter open  / filter  q quit', whereabouts: '3/40' } as const;
    expect(draw(<Footer footer={footer} width={40} />)).toBe('enter open  / filter  q quit        3/40');
    expect(draw(<Footer footer={footer} width={20} />, ascii)).toBe('enter open ...  3/40');
  });

  it('shows the end of what is typed', () => {
    expect(draw(<Prompt label=":" text="ns shop" width={20} />)).toBe(':ns shop_');
    expect(draw(<Prompt label=":" text="ns a-very-long-namespace" width={20} />)).toBe('…ery-long-namespace_');
  });

  it('marks trouble without colour too', () => {
    const footer = { type: 'remark', text: 'nothing was saved', isTrouble: true } as const;
    expect(draw(<Footer footer={footer} width={40} />, ascii)).toBe('x nothing was saved');
  });
});

it('a line of the help has the keys and what they do', () => {
  const help = { type: 'key', names: 'j down', does: 'one line down', namesWidth: 8 } as const;
  expect(draw(<Help help={help} width={40} indent={2} found="" />)).toBe('    j down    one line down');
});
