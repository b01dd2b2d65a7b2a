import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
let house = '';
let reported: readonly { readonly code: string; readonly filename: string }[] = [];

const files: Readonly<Record<string, string>> = {
  'src/core/kube/fine.ts': 'export const fine = 1;\n',
  'src/core/kube/upward.ts': "import { diagnose } from '../graph/fine.ts';\nexport const upward = diagnose;\n",
  'src/core/graph/fine.ts': "import { fine } from '../kube/fine.ts';\nexport const diagnose = fine;\n",
  'src/core/causes/claim/network.ts':
    "import { readFile } from 'node:fs/promises';\nexport const network = readFile;\n",
  'src/core/causes/claim/clock.ts': 'export const clock = (): number => Date.now();\n',
  'src/terminal/client.ts':
    "import type { KubeConfig } from '@kubernetes/client-node';\nexport type Client = KubeConfig;\n",
  'src/terminal/lazy.ts': "export const lazy = (): Promise<unknown> => import('../io/cluster/fine.ts');\n",
  'src/io/cluster/fine.ts': "import { WebSocket } from 'ws';\nexport const fine = WebSocket;\n",
  'src/io/cluster/table.ts': "import Table from 'cli-table3';\nexport const table = Table;\n",
  'src/io/files/upward.ts': "import { table } from '../../terminal/table.ts';\nexport const upward = table;\n",
  'src/cli/upward.ts': "export const upward = (): Promise<unknown> => import('../commands/why/command.ts');\n",
  'src/cli/targets.ts': "import { readFile } from 'node:fs/promises';\nexport const targets = readFile;\n",
  'src/cli/open-source.ts': 'export const openSource = (): string => process.cwd();\n',
  'src/terminal/output.ts': 'export const print = (text: string): boolean => process.stdout.write(text);\n',
  'src/terminal/clock.ts': 'export const clock = (): number => performance.now();\n',
  'src/commands/get/command.ts': "export { runGet as default } from './run.ts';\n",
  'src/commands/get/run.ts':
    "import { openSource } from '../../cli/open-source.ts';\nimport { print } from '../../terminal/output.ts';\nexport const runGet = (): boolean => print(openSource() + process.pid);\n",
  'src/commands/get/run/watch.ts':
    "import { print } from '../../../terminal/output.ts';\nexport const watch = print;\n",
  'src/commands/get/text.ts': "import { fine } from '../../core/kube/fine.ts';\nexport const text = fine;\n",
  'src/commands/get/printing.ts': "import { print } from '../../terminal/output.ts';\nexport const printing = print;\n",
  'src/commands/get/reading.ts':
    "import { openSource } from '../../cli/open-source.ts';\nexport const reading = openSource;\n",
  'src/cli/diagnosis/explain.ts': 'export const explain = (): string => process.cwd();\n',
  'src/commands/get/explaining.ts':
    "import { explain } from '../../cli/diagnosis/explain.ts';\nexport const explaining = explain;\n",
  'src/commands/get/asking.ts': "import { fine } from '../../io/cluster/fine.ts';\nexport const asking = fine;\n",
  'src/commands/get/circling.ts': "import { watch } from './run/watch.ts';\nexport const circling = watch;\n",
  'src/commands/get/columns/environment.ts': "export const home = (): unknown => process.env['HOME'];\n",
  'src/commands/get/nested.ts': 'export const nested = (a: boolean, b: boolean): number => (a ? 1 : b ? 2 : 3);\n',
  'src/commands/why/borrowing.ts': "import { text } from '../get/text.ts';\nexport const borrowing = text;\n",
  'src/commands/why/run/borrowing.ts': "import { text } from '../../get/text.ts';\nexport const borrowing = text;\n",
  'src/commands/why/run/lazily.ts': "export const lazily = (): Promise<unknown> => import('../../get/text.ts');\n",
  'src/commands/tui/run.ts': "export const runTui = (): Promise<unknown> => import('../../tui/root.ts');\n",
  'src/commands/why/run.ts': "export const runWhy = (): Promise<unknown> => import('../tui/run.ts');\n",
  'src/tui/view-models/table.ts': "import { text } from '../../commands/get/text.ts';\nexport const root = text;\n",
  'src/tui/running.ts': "import { runGet } from '../commands/get/run.ts';\nexport const running = runGet;\n",
  'src/core/engine/first.ts': "import { second } from './second.ts';\nexport const first = (): unknown => second;\n",
  'src/core/engine/second.ts': "import { first } from './first.ts';\nexport const second = (): unknown => first;\n",
  'src/core/engine/unnamed.ts': 'export default 1;\n',
  'test/mocked.test.ts': "import { vi } from 'vitest';\nvi.mock('../src/core/kube/fine.ts');\n",
};

beforeAll(async () => {
  house = await mkdtemp(join(tmpdir(), 'kubectl-csi-lint-'));
  await cp(join(root, 'oxlint.config.ts'), join(house, 'oxlint.config.ts'));
  await writeFile(join(house, 'package.json'), '{"type": "module"}');
  await symlink(join(root, 'node_modules'), join(house, 'node_modules'));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(house, file)), { recursive: true });
    await writeFile(join(house, file), text);
  }
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/oxlint/bin/oxlint'), '--format=json', 'src', 'test'],
    { cwd: house, encoding: 'utf8' },
  );
  reported = (JSON.parse(stdout) as { readonly diagnostics: typeof reported }).diagnostics;
});
afterAll(() => rm(house, { recursive: true, force: true }));

const rulesFor = (file: string): string[] =>
  reported.filter(({ filename }) => filename === file).map(({ code }) => /\((.+)\)/.exec(code)?.[1] ?? code);

describe('lint keeps the rooms apart', () => {
  it.each([
    ['src/core/kube/upward.ts', 'no-restricted-imports'],
    ['src/core/causes/claim/network.ts', 'no-restricted-imports'],
    ['src/core/causes/claim/clock.ts', 'no-restricted-properties'],
    ['src/terminal/client.ts', 'no-restricted-imports'],
    ['src/terminal/lazy.ts', 'no-restricted-imports'],
    ['src/io/cluster/table.ts', 'no-restricted-imports'],
    ['src/io/files/upward.ts', 'no-restricted-imports'],
    ['src/cli/upward.ts', 'no-restricted-imports'],
    ['src/cli/targets.ts', 'no-restricted-imports'],
    ['src/terminal/clock.ts', 'no-restricted-globals'],
    ['src/commands/get/printing.ts', 'no-restricted-imports'],
    ['src/commands/get/reading.ts', 'no-restricted-imports'],
    ['src/commands/get/explaining.ts', 'no-restricted-imports'],
    ['src/commands/get/asking.ts', 'no-restricted-imports'],
    ['src/commands/get/circling.ts', 'no-restricted-imports'],
    ['src/commands/get/columns/environment.ts', 'no-restricted-globals'],
    ['src/commands/get/nested.ts', 'no-nested-ternary'],
    ['src/commands/why/borrowing.ts', 'no-restricted-imports'],
    ['src/commands/why/run/borrowing.ts', 'no-restricted-imports'],
    ['src/commands/why/run/lazily.ts', 'no-restricted-imports'],
    ['src/commands/why/run.ts', 'no-restricted-imports'],
    ['src/tui/running.ts', 'no-restricted-imports'],
    ['src/core/engine/first.ts', 'no-cycle'],
    ['src/core/engine/unnamed.ts', 'no-default-export'],
    ['test/mocked.test.ts', 'no-restricted-vi-methods'],
  ])('reports %s', (file, rule) => {
    expect(rulesFor(file)).toContain(rule);
  });
  it.each([
    'src/core/kube/fine.ts',
    'src/core/graph/fine.ts',
    'src/io/cluster/fine.ts',
    'src/terminal/output.ts',
    'src/commands/get/command.ts',
    'src/commands/get/run.ts',
    'src/commands/get/run/watch.ts',
    'src/commands/get/text.ts',
    'src/commands/tui/run.ts',
    'src/tui/view-models/table.ts',
  ])('leaves %s alone', (file) => {
    expect(rulesFor(file)).toEqual([]);
  });
});
