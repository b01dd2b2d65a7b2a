import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How long the program takes to start, beside kubectl and bare Node, all measured in turn in one run. */
const program = fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url));
const rounds = 20;
const contestants: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'node (empty program)': [process.execPath, '--eval', '0'],
  'kubectl version --client': ['kubectl', 'version', '--client'],
  'kubectl csi --help': [program, '--help'],
  'kubectl csi why-pending --help': [program, 'why-pending', '--help'],
  'kubectl csi causes -o name': [program, 'causes', '-o', 'name'],
};

const times = new Map<string, number[]>(Object.keys(contestants).map((name) => [name, []]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, [command, ...words]] of Object.entries(contestants)) {
    const begun = process.hrtime.bigint();
    const { error } = spawnSync(command, words, { stdio: 'ignore' });
    // The first round only warms the caches.
    if (error === undefined && round > 0) times.get(name)?.push(Number(process.hrtime.bigint() - begun) / 1e6);
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const kubectl = median(times.get('kubectl version --client') ?? []);
for (const [name, values] of times) {
  const line = values.length === 0 ? 'not installed' : `${median(values).toFixed(0).padStart(5)} ms  (least ${Math.min(...values).toFixed(0)} ms, ${(median(values) / kubectl).toFixed(2)} × kubectl)`;
  process.stdout.write(`${name.padEnd(34)}${line}\n`);
}
