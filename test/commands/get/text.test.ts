import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/kube/errors.ts';
import { parseFieldPath } from '../../../src/core/kube/field-path.ts';
import type { ClaimRow, Row, RowKind } from '../../../src/core/report/rows.ts';
import { sortRows } from '../../../src/commands/get/sort.ts';
import { renderCustomColumns, renderRowNames, renderRowTable } from '../../../src/commands/get/text.ts';
import type { RowTableOptions } from '../../../src/commands/get/text.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { withCauses } from '../../../src/core/survey/rows/row-causes.ts';
import { surveyRows } from '../../../src/core/survey/rows/survey-rows.ts';

const takenAt = '2026-05-06T07:08:09Z';
const view = { now: Date.parse(takenAt), isWide: false };
const plain: RowTableOptions = {
  view,
  colour: false,
  ascii: false,
  withHeaders: true,
  withNamespace: false,
  withLabels: false,
  withKind: false,
};
const claim = (name: string, more: Partial<ClaimRow> = {}): ClaimRow => ({
  name,
  labels: {},
  status: 'Bound',
  phase: 'Bound',
  accessModes: ['ReadWriteOnce'],
  volumeMode: 'Filesystem',
  attachments: [],
  pods: [],
  ...more,
});
const draw = (
  rows: readonly Row[],
  more: Partial<RowTableOptions> = {},
  kind: RowKind = 'PersistentVolumeClaim',
): readonly string[] => renderRowTable(kind, rows, { ...plain, ...more }).lines;
const cellsOf = (line: string | undefined): string[] => (line ?? '').split(/ {3,}/);
const noObject = () => undefined;

describe('tables of the demo cluster', () => {
  it.each<[string, RowKind]>([
    ['pvc', 'PersistentVolumeClaim'],
    ['pods', 'Pod'],
    ['pv', 'PersistentVolume'],
    ['sc', 'StorageClass'],
    ['csinodes', 'CSINode'],
    ['attachments', 'VolumeAttachment'],
    ['drivers', 'CSIDriver'],
    ['snapshots', 'VolumeSnapshot'],
    ['capacity', 'CSIStorageCapacity'],
  ])('%s', async (name, kind) => {
    const tables = (['usual', 'wide'] as const).map((detail) => {
      const snapshot = demoSnapshot(new Date(takenAt));
      const { answers } = withCauses(snapshot, surveyRows(snapshot, [{ kind, names: [] }], detail));
      return draw(
        answers[0]?.rows ?? [],
        {
          view: { ...view, isWide: detail === 'wide' },
          withNamespace: kind === 'PersistentVolumeClaim' || kind === 'Pod' || kind === 'VolumeSnapshot',
        },
        kind,
      ).join('\n');
    });
    await expect(`${tables.join('\n\n')}\n`).toMatchFileSnapshot(`../../screens/get-${name}.txt`);
  });
});

describe('a table of rows', () => {
  it('lines its columns up behind wide characters and emoji', () => {
    const lines = draw([
      claim('データ', { volume: 'pv-1' }),
      claim('a', { volume: 'pv-2' }),
      claim('👩‍🚀x', { volume: 'pv-3' }),
    ]);
    const columns = lines.map((line) => stringWidth(line.slice(0, line.search(/STATUS|Bound/))));
    expect(new Set(columns).size).toBe(1);
  });

  it('cuts nothing, however long', () => {
    const long = 'x'.repeat(253);
    expect(draw([claim(long, { volume: long })])[1]).toContain(`${long}   Bound    <none>   ${long}`);
  });

  it('can neither move the cursor nor break a line', () => {
    const [, ...lines] = draw([claim('data', { storageClass: 'a\u001b[2Jb\nc\u202e' })]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('ab c');
    expect(lines[0]).not.toMatch(/[\u001b\u202e]/);
  });

  it.each<[Partial<ClaimRow>, string]>([
    [{ capacity: '10Gi', requested: '10Gi' }, '10Gi'],
    [{ capacity: '10Gi', requested: '10240Mi' }, '10Gi'],
    [{ capacity: '100Gi', requested: '10Gi' }, '100Gi'],
    [{ capacity: '10Gi', requested: '20Gi' }, '10Gi→20Gi'],
    [{ requested: '20Gi' }, '→20Gi'],
    [{}, '<none>'],
  ])('%j has the capacity %s', (row, text) => {
    expect(cellsOf(draw([claim('data', row)])[1])[4]).toBe(text);
  });

  it('draws the arrow in ASCII where there is nothing else', () => {
    expect(cellsOf(draw([claim('data', { requested: '20Gi' })], { ascii: true })[1])[4]).toBe('->20Gi');
  });

  it('says what could not be read, beside what is known', () => {
    const cells = cellsOf(
      draw([
        claim('data', {
          unknown: ['attachments', 'pods'],
          attachments: [{ name: 'a', node: 'node-a', state: 'attaching' }],
        }),
      ])[1],
    );
    expect(cells.slice(8, 10)).toEqual(['node-a:attaching,?', '?']);
  });

  it('counts the pods beyond the second, and names them all in the wide table', () => {
    const row = claim('data', { pods: ['a', 'b', 'c'].map((name) => ({ name })) });
    expect(cellsOf(draw([row])[1])[9]).toBe('a,+2');
    expect(cellsOf(draw([row], { view: { ...view, isWide: true } })[1])[9]).toBe('a,b,c');
  });

  it.each([
    [undefined, '<unknown>'],
    ['2026-05-06T07:08:10Z', '0s'],
    ['2026-05-06T07:08:30Z', '<invalid>'],
    ['2026-05-06T07:05:00Z', '3m9s'],
    ['2026-05-03T06:08:09Z', '3d1h'],
    ['2023-05-06T07:08:09Z', '3y1d'],
  ])('made %s has the age %s', (createdAt, text) => {
    expect(cellsOf(draw([claim('data', createdAt === undefined ? {} : { createdAt })])[1]).at(-1)).toBe(text);
  });

  it('adds the namespace, the labels and the type where they are asked for', () => {
    const [header, line] = draw([claim('data', { namespace: 'shop', labels: { b: '2', a: '1' } })], {
      withNamespace: true,
      withLabels: true,
      withKind: true,
    });
    expect(cellsOf(header)[0]).toBe('NAMESPACE');
    expect(cellsOf(line).slice(0, 2)).toEqual(['shop', 'persistentvolumeclaim/data']);
    expect(cellsOf(line).at(-1)).toBe('a=1,b=2');
  });

  it('paints words without moving a column', () => {
    const rows = [claim('data', { status: 'Lost', unknown: ['pods'] }), claim('logs')];
    const painted = draw(rows, { colour: true });
    expect(painted.join('\n')).toContain('\u001b[1;31mLost\u001b[0m');
    expect(painted.map((line) => line.replaceAll(/\u001b\[[\d;]*m/g, ''))).toEqual(draw(rows));
  });

  it('tells what is stuck from what waits by design in word and colour, and both from what is healthy', () => {
    const rows = [
      claim('stuck', { status: 'Pending', verdict: 'blocked', cause: 'sc-missing' }),
      claim('waits', { status: 'Pending', verdict: 'waiting', cause: 'wffc-no-consumer' }),
      claim('well'),
      claim('hidden', { status: 'Pending', verdict: 'unknown', unknown: ['cause'] }),
    ];
    expect(draw(rows).map((line) => cellsOf(line).slice(0, 3))).toEqual([
      ['NAME', 'STATUS', 'CAUSE'],
      ['stuck', 'Pending', 'sc-missing'],
      ['waits', 'Pending', 'waiting:wffc-no-consumer'],
      ['well', 'Bound', '<none>'],
      ['hidden', 'Pending', '?'],
    ]);
    const [, stuck = '', waits = '', well = ''] = draw(rows, { colour: true });
    const codesOf = (line: string): string[] => [...line.matchAll(/\u001b\[([\d;]+)m\S/g)].map(([, code = '']) => code);
    expect(codesOf(stuck)).toEqual(['1;31', '1;31']);
    expect(codesOf(waits)).toEqual(['35', '35']);
    expect(codesOf(well)).toEqual([]);
  });

  it('draws ten thousand rows', () => {
    expect(draw(Array.from({ length: 10_000 }, (_, index) => claim(`claim-${index}`)))).toHaveLength(10_001);
  });

  it('goes on in the widths of the table before it', () => {
    const first = renderRowTable('PersistentVolumeClaim', [claim('a-long-name')], plain);
    expect(
      renderRowTable('PersistentVolumeClaim', [claim('b')], { ...plain, withHeaders: false, widths: first.widths })
        .lines,
    ).toEqual([(first.lines[1] ?? '').replace('a-long-name', 'b          ')]);
  });
});

describe('the order of rows', () => {
  const namesBy = (
    sortBy: string,
    rows: readonly Row[],
    objectOf: (kind: RowKind, row: { readonly name: string }) => unknown = noObject,
  ): string[] => sortRows('PersistentVolumeClaim', rows, sortBy, view, objectOf).map(({ name }) => name);

  it('goes by size, not by letters, and what has none comes last', () => {
    const rows = [
      claim('none'),
      claim('nine', { capacity: '9Gi' }),
      claim('hundred', { capacity: '100Gi' }),
      claim('thousand', { capacity: '1000Mi' }),
    ];
    for (const sortBy of ['CAPACITY', 'capacity', '.capacity', '{.capacity}'])
      expect(namesBy(sortBy, rows)).toEqual(['thousand', 'nine', 'hundred', 'none']);
  });

  it('goes by age, the youngest first, and by time, the oldest first, as kubectl has it', () => {
    const rows = [
      claim('old', { createdAt: '2026-05-01T00:00:00Z' }),
      claim('young', { createdAt: '2026-05-06T07:00:00Z' }),
      claim('older', { createdAt: '2026-05-01T00:00:00+02:00' }),
    ];
    expect(namesBy('age', rows)).toEqual(['young', 'old', 'older']);
    expect(namesBy('.createdAt', rows)).toEqual(['older', 'old', 'young']);
  });

  it('goes by cause: stuck, then unknown, then waiting, then healthy', () => {
    const rows = [
      claim('well'),
      claim('waits', { verdict: 'waiting', cause: 'a' }),
      claim('hidden', { verdict: 'unknown', unknown: ['cause'] }),
      claim('stuck', { verdict: 'blocked', cause: 'z' }),
    ];
    expect(namesBy('cause', rows)).toEqual(['stuck', 'hidden', 'waits', 'well']);
  });

  it('goes by numbers within names', () => {
    expect(namesBy('name', [claim('data-10'), claim('data-9'), claim('data-1')])).toEqual([
      'data-1',
      'data-9',
      'data-10',
    ]);
  });

  it('leads into the object where the row has no such field', () => {
    const objects: Record<string, unknown> = { a: { spec: { weight: 20 } }, b: { spec: { weight: 3 } } };
    expect(namesBy('.spec.weight', [claim('a'), claim('b')], (_kind, { name }) => objects[name])).toEqual(['b', 'a']);
  });

  it('refuses a field that none of them has, and names the columns', () => {
    expect(() => namesBy('.spec.wieght', [claim('a')])).toThrow(UserError);
    expect(() => namesBy('sise', [claim('a')])).toThrow('no object has the field "sise"');
    expect(namesBy('handle', [claim('b'), claim('a')])).toEqual(['b', 'a']);
  });
});

describe("columns of one's own", () => {
  const columns = ['.name', '.attachments[*].node', '.metadata.generation'].map((path) => ({
    title: path.toUpperCase(),
    path: parseFieldPath(path),
  }));

  it('come from the row, or else from its object', () => {
    const row = claim('data', {
      attachments: [
        { name: 'x', node: 'a', state: 'attached' },
        { name: 'y', node: 'b', state: 'attached' },
      ],
    });
    const { lines } = renderCustomColumns(
      'PersistentVolumeClaim',
      [row, claim('logs', { unknown: ['attachments'] })],
      columns,
      {
        withHeaders: true,
        objectOf: (_kind, { name }) => (name === 'data' ? { metadata: { generation: 7 } } : undefined),
      },
    );
    expect(lines.map(cellsOf)).toEqual([
      ['.NAME', '.ATTACHMENTS[*].NODE', '.METADATA.GENERATION'],
      ['data', 'a,b', '7'],
      ['logs', '?', '<none>'],
    ]);
  });

  it('names are TYPE/NAME, with the group where there is one', () => {
    expect(renderRowNames('StorageClass', [claim('fast')])).toEqual(['storageclass.storage.k8s.io/fast']);
  });
});
