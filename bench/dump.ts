import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { benchCluster } from './bench-cluster.ts';
import { measure, ratioTable } from './measure.ts';

/**
 * A dump in which every claim is stuck, as kubectl prints it: the whole command beside a program that parses the same file and does
 * nothing else; of YAML with the library, which takes many times as long. node bench/dump.ts --claims 10000
 */
const { values } = parseArgs({
  options: { claims: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '3' } },
});
const program = fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url));
const claims = Number(values.claims);
const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-bench-'));
try {
  const list = { apiVersion: 'v1', kind: 'List', items: [...benchCluster({ claims, broken: claims }, new Date())] };
  const [json, yaml] = [join(directory, 'dump.json'), join(directory, 'dump.yaml')];
  await writeFile(json, JSON.stringify(list, null, 4));
  await writeFile(yaml, stringify(list, { aliasDuplicateObjects: false, lineWidth: 0 }));
  const parsing = 'JSON.parse of the dump';
  const measured = await measure(
    [
      {
        name: parsing,
        command: process.execPath,
        words: ['--eval', 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"))', json],
      },
      { name: 'why-pending -A --from dump.json', command: program, words: ['why-pending', '-A', '--from', json] },
      { name: 'why-pending -A --from dump.yaml', command: program, words: ['why-pending', '-A', '--from', yaml] },
    ],
    Number(values.rounds),
  );
  process.stdout.write(`${list.items.length} objects, ${claims} stuck claims\n${ratioTable(measured, parsing)}\n`);
  const library = 'the yaml package, parsing dump.yaml';
  const asYaml = await measure(
    [
      {
        name: library,
        command: process.execPath,
        words: [
          '--max-old-space-size=12000',
          '--eval',
          'require("yaml").parse(require("node:fs").readFileSync(process.argv[1], "utf8"))',
          yaml,
        ],
      },
      { name: 'why-pending -A --from dump.yaml', command: program, words: ['why-pending', '-A', '--from', yaml] },
    ],
    1,
  );
  process.stdout.write(`${ratioTable(asYaml, library)}\n`);
} finally {
  await rm(directory, { recursive: true, force: true });
}
