import { gzipSync } from 'node:zlib';
import { tarOf, zipOf } from './archives.ts';
import { claim, json, lease, listOf, storageClass, stuck } from './base.ts';
import type { Packed } from './archives.ts';
import type { HostileDump, file } from './dumps.ts';

const whole: Packed = { name: 'bundle/dump.json', content: json(stuck()) };
const split: readonly Packed[] = [
  { name: 'b/pvcs/shop.json', content: json(listOf([claim()])) },
  { name: 'b/storageclasses.json', content: json(listOf([storageClass()])) },
  { name: 'b/leases/kube-system.json', content: json(listOf([lease])) },
];
const calm: Packed = { name: 'b/storageclasses.json', content: json(listOf([storageClass()])) };

export function archiveDumps(make: typeof file): HostileDump[] {
  const tar = tarOf([whole]);
  const zip = zipOf([whole]);
  const long = `${'d/'.repeat(80)}dump.json`;
  const cut = (name: string, bytes: Buffer): HostileDump[] =>
    [0.1, 0.3, 0.5, 0.7, 0.9, 0.99].map((part) =>
      make(`${name}, cut at ${part}`, bytes.subarray(0, Math.floor(bytes.length * part)), [1, 2, 3, 4]),
    );
  const flip = (name: string, bytes: Buffer): HostileDump[] =>
    Array.from({ length: 12 }, (_, index) => {
      const flipped = Buffer.from(bytes);
      const at = Math.floor((index * bytes.length) / 12) + 3;
      flipped[at] = (flipped[at] ?? 0) ^ 0x04;
      return make(`${name}, bit flipped at ${at}`, flipped, [1, 2, 3, 4]);
    });
  return [
    make('tar', tar, [1]),
    make('tgz', gzipSync(tar), [1]),
    make('zip', zip, [1]),
    make('tar of several files', tarOf(split), [1]),
    make('zip of several files', zipOf(split), [1]),
    make('tar through a pipe', tar, [1], { stdin: true }),
    make('tgz through a pipe', gzipSync(tar), [1], { stdin: true }),
    make('zip through a pipe', zip, [1], { stdin: true }),
    make('zip64', zipOf([whole], { zip64: true }), [1]),
    make('zip with data descriptors', zipOf([whole], { descriptor: true }), [1]),
    make('zip, stored', zipOf([{ ...whole, method: 0 }]), [1]),
    make('zip, encrypted', zipOf([{ ...whole, flags: 1 }, calm]), [3], { says: /encrypted/ }),
    make('zip, all encrypted', zipOf([{ ...whole, flags: 1 }]), [2], { says: /encrypted/ }),
    make('zip, unknown method', zipOf([{ ...whole, method: 99 }, calm]), [3], { says: /method 99/ }),
    make('zip whose entries overlap', zipOf([whole], { overlap: 5000 }), [4], { says: /overlap/ }),
    make('zip bomb', () => zipOf([{ name: 'a.json', content: Buffer.alloc(300_000_000, '[') }]), [2, 4], {
      large: true,
      says: /unpacks to more than/,
    }),
    make('zip of nothing', zipOf([]), [2]),
    make('tar of nothing', Buffer.alloc(10_240), [2, 4]),
    make('tar without dumps', tarOf([{ name: 'notes.txt', content: 'x' }]), [2], { says: /contains no/ }),
    make('tar without an end', tarOf([whole], false), [1]),
    make('tar whose entry says 8 GB', tarOf([{ ...whole, size: 8_000_000_000 }]), [2, 4]),
    make('tar whose entry is longer than it says', tarOf([{ ...whole, size: 10 }]), [2, 4]),
    make(
      'tar with a long name',
      tarOf([
        { name: '././@LongLink', type: 'L', content: `${long}\0` },
        { ...whole, name: 'short.json' },
      ]),
      [1],
    ),
    make(
      'tar with pax attributes',
      tarOf([
        { name: 'pax', type: 'x', content: `${11 + long.length} path=${long}\n` },
        { ...whole, name: 'short' },
      ]),
      [1],
    ),
    make('tar with a name of 2 MB', tarOf([{ name: 'x', type: 'L', content: 'n'.repeat(2_000_000) }, whole]), [2]),
    make(
      'tar with links, pipes and devices',
      tarOf([{ name: 'a.json', type: '2' }, { name: 'b.yaml', type: '3' }, { name: 'c.json', type: '6' }, whole]),
      [3],
      { says: /is a link[^]*is a device[^]*is a pipe/ },
    ),
    make('tar with a link that may hold the claims', tarOf([{ name: 'pvcs.json', type: '2' }, calm]), [3], {
      says: /is a link/,
    }),
    make('tar that leads elsewhere', tarOf([{ ...whole, name: '../../../../tmp/dump.json' }]), [1]),
    make('tar with an absolute name', tarOf([{ ...whole, name: '/etc/dump.json' }]), [1]),
    make('zip that leads elsewhere', zipOf([{ ...whole, name: '..\\..\\dump.json' }]), [1]),
    make(
      'tar with a name that controls terminals',
      tarOf([{ name: '\u001b[2J::error::x.json', content: '{"a":' }, whole]),
      [3],
    ),
    make('tar in tar', tarOf([{ name: 'inner.tar', content: tar }, calm]), [1, 3]),
    make(
      'tgz bomb',
      () =>
        gzipSync(
          Buffer.concat([
            tarOf([{ ...calm, name: 'a.log', size: 300_000_000 }], false).subarray(0, 512),
            Buffer.alloc(300_000_000),
          ]),
        ),
      [4],
      { large: true },
    ),
    ...cut('tar', tar),
    ...cut('tgz', gzipSync(tar)),
    ...cut('zip', zip),
    ...flip('tar', tar),
    ...flip('zip', zip),
  ];
}
