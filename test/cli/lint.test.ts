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
  'src/io/cluster/fine.ts': "import { KubeConfig } from '@kubernetes/client-node';\nexport const fine = KubeConfig;\n",
  'src/io/cluster/table.ts': "import Table from 'cli-table3';\nexport const table = Table;\n",
  'src/io/files/upward.ts': "import { table } from '../../terminal/table.ts';\nexport const upward = table;\n",
  'src/cli/upward.ts': "export const upward = (): Promise<unknown> => import('../commands/why/command.ts');\n",
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
    ['src/core/engine/first.ts', 'no-cycle'],
    ['src/core/engine/unnamed.ts', 'no-default-export'],
    ['test/mocked.test.ts', 'no-restricted-vi-methods'],
  ])('reports %s', (file, rule) => {
    expect(rulesFor(file)).toContain(rule);
  });
  it.each(['src/core/kube/fine.ts', 'src/core/graph/fine.ts', 'src/io/cluster/fine.ts'])('leaves %s alone', (file) => {
    expect(rulesFor(file)).toEqual([]);
  });
});
