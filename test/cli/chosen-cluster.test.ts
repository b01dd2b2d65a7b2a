import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startClusters } from '../kit/many-clusters.ts';
import type { ManyClusters } from '../kit/many-clusters.ts';
import { runProgram } from '../kit/run-program.ts';
import { loadScenario } from '../kit/scenario.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-chosen-'));
/** The current context is another cluster, and the path has a blank. */
const lab = join(directory, 'my lab', 'config');
const claim = join(directory, 'claim.yaml');
const stuck = loadScenario('sc-missing').snapshot;
let many: ManyClusters;

beforeAll(async () => {
  many = await startClusters([
    { name: 'current', snapshot: loadScenario('wffc-no-consumer').snapshot },
    { name: 'prod', snapshot: stuck },
    { name: 'locked', snapshot: stuck, options: { faults: { deny: (kind) => kind === 'Pod' } } },
  ]);
  mkdirSync(join(directory, 'my lab'));
  const written = JSON.parse(readFileSync(many.kubeconfig, 'utf8')) as object;
  writeFileSync(lab, JSON.stringify({ ...written, 'current-context': 'prod' }));
  writeFileSync(
    claim,
    'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a, namespace: shop}\nspec:\n' +
      '  {storageClassName: fast-ssd, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n',
  );
});
afterAll(async () => {
  await many.close();
  rmSync(directory, { recursive: true, force: true });
});

const run = async (...words: string[]): Promise<string> =>
  (await runProgram(words, { env: { KUBECONFIG: many.kubeconfig } })).stdout;

/** Each line that is a command, and each `kubectl` behind a pipe in it. */
function commandsIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /^\s*\$ |: kubectl csi |^\s*evidence and fix: /.test(line))
    .flatMap((line) => line.split(/ \| (?=kubectl)/))
    .filter((part) => /kubectl (?!csi explain)/.test(part));
}

const questions: readonly (readonly string[])[] = [
  ['why', 'pvc/data', '-n', 'shop'],
  ['why', '-A'],
  ['why', '-A', '--details'],
  ['check', '-o', 'wide'],
  ['status'],
  ['trace', 'pvc/data', '-n', 'shop'],
  ['wait', 'pvc/data', '-n', 'shop', '--timeout', '1s'],
  ['preflight', '-f', claim],
];

describe('a cluster that is not the current one', () => {
  it.each(questions)('is named by each command that %s %s prints', async (...words) => {
    const byContext = await run(...words, '--context', 'prod');
    const byFile = await run(...words, '--kubeconfig', lab);
    expect(commandsIn(byContext).length).toBeGreaterThan(0);
    for (const command of commandsIn(byContext)) expect(command).toContain('--context prod');
    for (const command of commandsIn(byFile)) expect(command).toContain(`--kubeconfig '${lab}'`);
    for (const text of [byContext, byFile]) {
      expect(text).not.toMatch(/csi explain [^\n]*--(?:context|kubeconfig)/);
      expect(text).not.toMatch(/(--context prod) \1|(--kubeconfig '[^']*') \2/);
    }
  });

  it.each(questions)('is not named by %s %s where it is the current one', async (...words) => {
    expect(await run(...words)).not.toMatch(/--context|--kubeconfig/);
  });

  it('is named in the JSON document too', async () => {
    const { items } = JSON.parse(await run('why', 'pvc/data', '-n', 'shop', '--context', 'prod', '-o', 'json')) as {
      items: { findings: { fix: { command?: string; commands?: string[] }[] }[] }[];
    };
    const commands = items
      .flatMap(({ findings }) => findings.flatMap(({ fix }) => fix))
      .flatMap(({ command, commands: more = [] }) => [...(command === undefined ? [] : [command]), ...more]);
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) expect(command).toMatch(/kubectl (?:csi \w+ )?--context prod/);
  });

  it('is named by the path as it was written', async () => {
    const path = relative(process.cwd(), lab);
    const text = await run('why', 'pvc/data', '-n', 'shop', '--kubeconfig', path, '--context', 'prod');
    expect(text).toContain(`$ kubectl --kubeconfig '${path}' --context prod -n shop get pvc data`);
  });

  it('is named where flags replace its address only', async () => {
    const { url = '' } = many.servers.get('prod') ?? {};
    const byServer = await run('why', 'pvc/data', '-n', 'shop', '--server', url);
    expect(commandsIn(byServer).every((command) => command.includes(`--server ${url}`))).toBe(true);
    const byCluster = await run('why', 'pvc/data', '-n', 'shop', '--cluster', 'prod', '--token', 'hidden');
    expect(commandsIn(byCluster).every((command) => command.includes('--cluster prod'))).toBe(true);
    expect(byServer + byCluster).not.toContain('hidden');
  });

  it('is the one whose missing rights are listed', async () => {
    for (const words of [['why', 'pvc/data', '-n', 'shop'], ['why', '-A'], ['status'], ['check']]) {
      const text = await run(...words, '--context', 'locked');
      expect(text.replaceAll(/\n\s+/g, ' '), words[0]).toContain('kubectl csi rbac --check --context locked');
    }
  });
});

describe('several clusters of a kubeconfig that is not the usual one', () => {
  const several = ['--kubeconfig', lab, '--contexts', 'prod,current'];

  it.each([['why', 'pvc/data', '-n', 'shop'], ['why', '-A', '--details'], ['check', '-o', 'wide'], ['status']])(
    '%s names the file and the context',
    async (...words) => {
      const commands = commandsIn(await run(...words, ...several));
      expect(commands.length).toBeGreaterThan(0);
      for (const command of commands) expect(command).toContain(`--kubeconfig '${lab}' --context prod`);
    },
  );
});
