import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claim, json, lease, listOf, storageClass, stuck } from './base.ts';
import type { HostileDump } from './dumps.ts';

/** A directory in which everything is sound but what `add` puts there; without it no claim is stuck. */
function directory(
  name: string,
  add: (path: string) => void,
  exit: readonly number[],
  says: RegExp | undefined,
  isStuck = false,
): HostileDump {
  return {
    name: `a directory with ${name}`,
    exit,
    ...(says !== undefined && { says }),
    write: (root) => {
      const path = join(root, 'dump');
      mkdirSync(path, { recursive: true });
      const items = isStuck ? [claim()] : [claim({ status: { phase: 'Bound' }, spec: { volumeName: 'v' } })];
      writeFileSync(join(path, 'a.json'), json(listOf([...items, storageClass(), lease])));
      add(path);
      return path;
    },
  };
}

const link = (target: string, name: string) => (path: string) => symlinkSync(target, join(path, name));
const doubt = [3];

export function fileDumps(): HostileDump[] {
  return [
    directory('a stuck claim alone', () => undefined, [1], undefined, true),
    directory('a link to /dev/zero', link('/dev/zero', 'b.json'), doubt, /b\.json is a device/),
    directory('a link to /dev/null', link('/dev/null', 'b.yaml'), doubt, /b\.yaml is a device/),
    directory('a link to /dev/stdin', link('/dev/stdin', 'b.yaml'), doubt, /not read/),
    directory('a link to nothing', link('nowhere', 'b.yaml'), doubt, /b\.yaml is a link to a file that does not exist/),
    directory('a link to itself', link('b.yaml', 'b.yaml'), doubt, /b\.yaml is a link that leads to itself/),
    directory('a link to its own directory', link('.', 'loop'), [1], undefined, true),
    directory('a link to the root of the disk', link('/', 'root'), [1], undefined, true),
    directory('a link to a directory elsewhere', link('/usr', 'elsewhere'), doubt, /outside of the dump/),
    directory('a FIFO', (path) => void execFileSync('mkfifo', [join(path, 'b.json')]), doubt, /b\.json is a pipe/),
    directory(
      'a link to a FIFO',
      (path) => {
        execFileSync('mkfifo', [join(path, 'pipe')]);
        symlinkSync('pipe', join(path, 'b.json'));
      },
      doubt,
      /b\.json is a pipe/,
    ),
    directory(
      'broken JSON',
      (path) => writeFileSync(join(path, 'b.json'), '{"a":'),
      doubt,
      /b\.json ends in the middle/,
    ),
    directory(
      'broken YAML',
      (path) => writeFileSync(join(path, 'b.yaml'), 'a: b\n c: [\nd: e\nf: g\nh: i\n'),
      doubt,
      /b\.yaml/,
    ),
    directory(
      'a binary file',
      (path) => writeFileSync(join(path, 'b.yaml'), Buffer.alloc(100)),
      doubt,
      /b\.yaml is a binary file/,
    ),
    directory('a packed file', (path) => writeFileSync(join(path, 'b.json.zst'), 'x'), doubt, /compressed/),
    directory(
      'a file of an error',
      (path) => writeFileSync(join(path, 'b.yaml'), 'Error from server (Forbidden)\n'),
      doubt,
      /error message/,
    ),
    directory('an empty file', (path) => writeFileSync(join(path, 'b.yaml'), ''), [1], undefined, true),
    directory('a file of text', (path) => writeFileSync(join(path, 'b.yaml'), 'hello there\n'), [1], undefined, true),
    directory(
      'names that control terminals',
      (path) => writeFileSync(join(path, '\u001b[2J\n::error::x.json'), '{"a":'),
      doubt,
      /not read/,
    ),
    directory(
      'a name that begins with a dash',
      (path) => writeFileSync(join(path, '--all.json'), json(listOf([]))),
      [1],
      undefined,
      true,
    ),
    directory(
      'directories 100 deep',
      (path) => {
        const deep = join(path, 'd/'.repeat(100));
        mkdirSync(deep, { recursive: true });
        writeFileSync(join(deep, 'c.json'), json(stuck()));
      },
      [1],
      undefined,
    ),
    { name: '/dev/zero', exit: [2], write: () => '/dev/zero', says: /binary/ },
    { name: '/dev/null', exit: [2], write: () => '/dev/null', says: /empty/ },
    { name: '/dev/urandom', exit: [2, 4], write: () => '/dev/urandom' },
    { name: 'nothing', exit: [2], write: (root) => join(root, 'nothing'), says: /does not exist/ },
    { name: 'an empty directory', exit: [2], write: (root) => root, says: /contains no/ },
  ];
}
