import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { archiveDumps } from './archive-dumps.ts';
import { claim, json, listOf, storageClass, stuck, yaml } from './base.ts';
import { fileDumps } from './file-dumps.ts';

export interface HostileDump {
  readonly name: string;
  /** Writes the dump below a directory of its own, and says what to pass to --from. */
  readonly write: (directory: string) => string | Promise<string>;
  /** The exit codes that are right; 0 never is, since a claim in it is stuck or nothing could be read. */
  readonly exit: readonly number[];
  /** What the output must say. */
  readonly says?: RegExp;
  /** Needs more time or disk than `npm test` has. */
  readonly large?: boolean;
  /** Passed as standard input instead. */
  readonly stdin?: boolean;
}

const found = [1];
const foundOrDoubt = [1, 3];
const refused = [2, 4];
const any = [1, 2, 3, 4];

export function file(
  name: string,
  content: string | Buffer | (() => string | Buffer),
  exit: readonly number[],
  more: Partial<HostileDump> = {},
): HostileDump {
  return {
    name,
    exit,
    write: (directory) => {
      const path = join(directory, 'dump');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === 'function' ? content() : content);
      return path;
    },
    ...more,
  };
}

const good = json(stuck());
const goodYaml = yaml(stuck());

function encodings(): HostileDump[] {
  const wide = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
  return [
    file('plain JSON', good, found),
    file('plain YAML', goodYaml, found),
    file('compact JSON', JSON.stringify(stuck()), found),
    file('UTF-8 with a mark', `\ufeff${good}`, found),
    file('YAML with a mark', `\ufeff${goodYaml}`, found),
    file('UTF-16 little endian', wide(goodYaml), found),
    file('UTF-16 big endian', wide(goodYaml).swap16(), found),
    file('UTF-16 of odd length', Buffer.concat([wide(goodYaml), Buffer.from('x')]), any),
    file('UTF-16 without a mark', Buffer.from(good, 'utf16le'), refused),
    file('Windows line ends', goodYaml.replaceAll('\n', '\r\n'), found),
    file('lines that end with a return alone', goodYaml.replaceAll('\n', '\r'), any),
    file('NUL at the beginning', `\0${good}`, refused),
    file('NUL at the end', `${good}\0`, any),
    file('NUL inside a name', good.replace('"data"', '"da\\u0000ta"'), foundOrDoubt),
    file('NUL far inside', `${goodYaml}# ${'x'.repeat(6000)}\0\n`, any),
    file(
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from(good.slice(0, -2)), Buffer.from([0xff, 0xfe, 0xc0, 0x80])]),
      any,
    ),
    file('empty', '', refused),
    file('blanks', ' \n\t\n', refused),
    file('only comments', '# nothing\n# here\n', refused),
    file('only document marks', '---\n---\n...\n', refused),
    file('comments around', `# a\n${goodYaml}# b\n`, found),
    file('garbage behind', `${good}\n}}}}`, refused),
    file('a number', '42', refused),
    file('a string', '"text"', refused),
    file('null', 'null', refused),
    file('a web page', '<!doctype html><html></html>', refused),
    file('a table', 'NAME   STATUS\ndata   Pending\n', refused),
    file('an error of kubectl', 'Error from server (Forbidden): no\n', refused),
    file('xz', Buffer.from('fd377a585a000004e6d6b446', 'hex'), refused, { says: /xz/ }),
    file('zstd', Buffer.from('28b52ffd000000', 'hex'), refused, { says: /zstd/ }),
    file('an executable', Buffer.from('7f454c4602010100', 'hex'), refused),
    file('gzip', gzipSync(good), found),
    file('gzip in gzip', gzipSync(gzipSync(good)), found),
    file(
      'gzip in gzip in gzip in gzip in gzip',
      [1, 2, 3, 4, 5].reduce((bytes) => gzipSync(bytes), Buffer.from(good)),
      [4],
    ),
    file('gzip of nothing', gzipSync(''), refused),
    file('gzip with garbage behind', Buffer.concat([gzipSync(good), Buffer.from('garbage')]), any),
    file('standard input', good, found, { stdin: true }),
    file('standard input, binary', Buffer.alloc(100_000), refused, { stdin: true }),
    file('standard input, empty', '', refused, { stdin: true }),
    file('standard input, gzip', gzipSync(goodYaml), found, { stdin: true }),
  ];
}

/** Cut at many places; a cut dump may still prove that the claim is stuck, but it never looks healthy. */
function truncations(): HostileDump[] {
  const cut = (name: string, bytes: Buffer, count: number): HostileDump[] =>
    Array.from({ length: count }, (_, index) => {
      const length = Math.floor(((index + 0.5) * bytes.length) / count);
      return file(`${name}, cut at ${length} of ${bytes.length}`, bytes.subarray(0, length), any);
    });
  return [
    ...cut('JSON', Buffer.from(good), 20),
    ...cut('YAML', Buffer.from(goodYaml), 20),
    ...cut('gzip', gzipSync(good), 8),
  ];
}

function flips(): HostileDump[] {
  const bytes = gzipSync(good);
  return Array.from({ length: 12 }, (_, index) => {
    const flipped = Buffer.from(bytes);
    const at = Math.floor((index * bytes.length) / 12);
    flipped[at] = (flipped[at] ?? 0) ^ 0x10;
    return file(`gzip, bit flipped at ${at}`, flipped, any);
  });
}

function bombs(): HostileDump[] {
  const inClaim = (value: string): string => JSON.stringify(stuck(claim({ extra: 'HERE' }))).replace('"HERE"', value);
  const nested = (open: string, close: string, count: number): string => open.repeat(count) + close.repeat(count);
  const lists = (depth: number): unknown => (depth === 0 ? stuck() : listOf([lists(depth - 1)]));
  return [
    file('gzip bomb', () => gzipSync(Buffer.alloc(400_000_000, '[')), [4], {
      large: true,
      says: /unpacks to more than/,
    }),
    file('gzip bomb inside JSON', () => gzipSync(`{"kind":"${'x'.repeat(200_000_000)}"}`), [4], { large: true }),
    file(
      'gzip of 90 MB of blanks',
      () => gzipSync(Buffer.concat([Buffer.from(good), Buffer.alloc(90_000_000, ' ')])),
      found,
      { large: true },
    ),
    file('aliases in YAML', aliases(), [4], { says: /aliases/ }),
    file('anchors that are used', goodYaml.replace('- apiVersion: v1', '- &a\n  apiVersion: v1'), found),
    file('a reference to itself', 'a: &a [*a]\n', any),
    ...[1000, 100_000, 900_000].map((count) => file(`${count} brackets`, nested('[', ']', count), refused)),
    ...[3_000_000, 30_000_000].map((count) =>
      file(`${count} brackets`, () => nested('[', ']', count), [4], { large: true }),
    ),
    file('brackets that never close', '['.repeat(500_000), refused),
    file('50 MB of brackets that never close', () => '{"a":'.repeat(10_000_000), refused, { large: true }),
    ...[150, 1000, 100_000].map((count) =>
      file(`a field ${count} deep`, inClaim(nested('{"a":[', ']}', count / 2)), count < 200 ? found : [4], {
        ...(count > 200 && { says: /nested/ }),
      }),
    ),
    ...[1000, 100_000].map((count) => file(`flow YAML ${count} deep`, `a: ${nested('[', ']', count)}\n`, refused)),
    ...[100, 1000, 100_000].map((count) => file(`dashes ${count} deep`, `${'- '.repeat(count)}x\n`, refused)),
    file('question marks 10000 deep', `${'? '.repeat(10_000)}x\n`, refused),
    file(
      'indentation 2000 deep',
      Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''),
      refused,
    ),
    ...[1, 5].map((depth) => file(`a list in ${depth} lists`, json(lists(depth)), found)),
    file('a list in a list, YAML', yaml(lists(1)), found),
    file('a list in 100 lists', JSON.stringify(lists(100)), [4]),
    file('a name of 10 MB', json(stuck(claim({}, { name: 'x'.repeat(10_000_000) }))), foundOrDoubt, { large: true }),
    file(
      'a message of 10 MB',
      json(
        stuck(claim({ status: { phase: 'Pending', conditions: [{ type: 'X', message: 'y '.repeat(5_000_000) }] } })),
      ),
      found,
      { large: true },
    ),
    file(
      '100000 labels',
      json(
        stuck(
          claim({}, { labels: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 'v'])) }),
        ),
      ),
      found,
      { large: true },
    ),
    file('20000 documents', () => `---\n${yaml(claim())}`.repeat(20_000), any, { large: true }),
    file('a million empty items', () => JSON.stringify(listOf(Array.from({ length: 1_000_000 }, () => ({})))), any, {
      large: true,
    }),
  ];
}

function aliases(): string {
  const rows = Array.from({ length: 9 }, (_, index) => {
    const before = String.fromCharCode(97 + index);
    return `${String.fromCharCode(98 + index)}: &${String.fromCharCode(98 + index)} [${Array(9).fill(`*${before}`).join(',')}]`;
  });
  return `a: &a [lol,lol,lol]\n${rows.join('\n')}\n`;
}

/** Every field of the claim, and of the list, with values of every other type. */
function types(): HostileDump[] {
  const values: readonly unknown[] = [5, null, 'text', [], {}, true, [[null]], -1e308];
  const places = ['apiVersion', 'kind', 'metadata', 'spec', 'status'] as const;
  const ofClaim = places.flatMap((place) =>
    values.map((value) =>
      file(`${place}: ${JSON.stringify(value)}`, json(stuck(claim({ [place]: value }))), [1, 2, 3]),
    ),
  );
  const inMetadata = [
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'creationTimestamp',
    'labels',
    'annotations',
    'ownerReferences',
    'finalizers',
  ].flatMap((place) =>
    [5, null, [], {}].map((value) =>
      file(`metadata.${place}: ${JSON.stringify(value)}`, json(stuck(claim({}, { [place]: value }))), [1, 2, 3]),
    ),
  );
  const items = [5, 'x', {}, null, true, [1, 2, null, 'x', [[]]], [{}], [[claim()]]].map((value) =>
    file(`items: ${JSON.stringify(value).slice(0, 30)}`, json(listOf([], { items: value })), [2, 3]),
  );
  return [
    ...ofClaim,
    ...inMetadata,
    ...items,
    file(
      'a claim without a name beside others',
      json(listOf([claim({}, { name: undefined }), claim({}, { name: 'well' }), storageClass('absent')])),
      [1, 3],
    ),
    file('an item without a kind', json(listOf([{ metadata: { name: 'data' } }, storageClass()])), [3]),
  ];
}

function pollution(): HostileDump[] {
  const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
  return keys.flatMap((key) => [
    file(
      `key ${key}`,
      good.replace('"metadata": {', `"${key}": {"phase": "Bound", "kind": "x"}, "metadata": {`),
      found,
    ),
    file(`key ${key} in YAML`, goodYaml.replace('  metadata:\n', `  ${key}:\n    phase: Bound\n  metadata:\n`), found),
    file(
      `key ${key} in metadata and labels`,
      good.replace('"name": "data"', `"labels": {"${key}": "x"}, "${key}": {"name": "x"}, "name": "data"`),
      found,
    ),
    file(`the name ${key}`, json(stuck(claim({}, { name: key, namespace: key }))), found),
  ]);
}

/** Names and messages that a terminal, a shell or a CI system would obey. */
function controls(): HostileDump[] {
  const texts = [
    '\u001b[31mred',
    '\u001b]0;title\u0007',
    'a\nb',
    'a\r::error::x',
    'a\n::set-output name=x::y',
    '\u202egnp',
    '\u009b1m',
    '\u0000',
    '--all',
    '-A',
    '$(touch x)',
    "'; touch x; '",
    '../../etc/passwd',
    '##[set-env name=A]b',
    '\ud800',
  ];
  return texts.flatMap((text) => [
    file(`the name ${JSON.stringify(text)}`, json(stuck(claim({}, { name: text }))), foundOrDoubt),
    file(`the namespace ${JSON.stringify(text)}`, json(stuck(claim({}, { namespace: text }))), foundOrDoubt),
    file(`the class ${JSON.stringify(text)}`, json(stuck(claim({ spec: { storageClassName: text } }))), foundOrDoubt),
  ]);
}

function duplicates(): HostileDump[] {
  const at = (resourceVersion: unknown, phase: string): unknown => claim({ status: { phase } }, { resourceVersion });
  return [
    file('keys twice', good.replace('"phase": "Pending"', '"phase": "Bound", "phase": "Pending"'), found),
    file('keys twice in YAML', goodYaml.replace('phase: Pending', 'phase: Bound\n    phase: Pending'), found),
    file('the old version last', json(stuck(at('1000', 'Pending'), at('999', 'Bound'))), found, {
      says: /several versions/,
    }),
    file('the old version first', json(stuck(at('999', 'Bound'), at('1000', 'Pending'))), found, {
      says: /several versions/,
    }),
    file(
      'versions of any length',
      json(stuck(at('100000000000000000001', 'Pending'), at('99999999999999999999', 'Bound'))),
      found,
    ),
    file('versions that are no numbers', json(stuck(at('b', 'Bound'), at('a', 'Pending'))), found, {
      says: /several versions/,
    }),
  ];
}

/** All hostile dumps, from a pure function: the same ones in every run. */
export function hostileDumps(): HostileDump[] {
  return [
    ...encodings(),
    ...truncations(),
    ...flips(),
    ...bombs(),
    ...types(),
    ...pollution(),
    ...controls(),
    ...duplicates(),
    ...archiveDumps(file),
    ...fileDumps(),
  ];
}
