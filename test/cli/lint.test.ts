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
  'src/model/fine.ts': 'export const fine = 1;\n',
  'src/model/upward.ts': "import { diagnose } from '../graph/fine.ts';\nexport const upward = diagnose;\n",
  'src/graph/fine.ts': "import { fine } from '../model/fine.ts';\nexport const diagnose = fine;\n",
  'src/causes/claim/network.ts': "import { readFile } from 'node:fs/promises';\nexport const network = readFile;\n",
  'src/causes/claim/clock.ts': 'export const clock = (): number => Date.now();\n',
  'src/report/client.ts': "import type { KubeConfig } from '@kubernetes/client-node';\nexport type Client = KubeConfig;\n",
  'src/report/lazy.ts': "export const lazy = (): Promise<unknown> => import('../collect/fine.ts');\n",
  'src/collect/fine.ts': "import { KubeConfig } from '@kubernetes/client-node';\nexport const fine = KubeConfig;\n",
  'src/collect/table.ts': "import Table from 'cli-table3';\nexport const table = Table;\n",
  'src/commands/deep.ts': "import { diagnose } from '../engine/diagnose.ts';\nexport const deep = diagnose;\n",
  'src/engine/first.ts': "import { second } from './second.ts';\nexport const first = (): unknown => second;\n",
  'src/engine/second.ts': "import { first } from './first.ts';\nexport const second = (): unknown => first;\n",
  'src/engine/unnamed.ts': 'export default 1;\n',
  'test/mocked.test.ts': "import { vi } from 'vitest';\nvi.mock('../src/model/fine.ts');\n",
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
  const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/oxlint/bin/oxlint'), '--format=json', 'src', 'test'], { cwd: house, encoding: 'utf8' });
  reported = (JSON.parse(stdout) as { readonly diagnostics: typeof reported }).diagnostics;
});
afterAll(() => rm(house, { recursive: true, force: true }));

const rulesFor = (file: string): string[] => reported.filter(({ filename }) => filename === file).map(({ code }) => /\((.+)\)/.exec(code)?.[1] ?? code);

describe('lint keeps the rooms apart', () => {
  it.each([
    ['src/model/upward.ts', 'no-restricted-imports'],
    ['src/causes/claim/network.ts', 'no-restricted-imports'],
    ['src/causes/claim/clock.ts', 'no-restricted-properties'],
    ['src/report/client.ts', 'no-restricted-imports'],
    ['src/report/lazy.ts', 'no-restricted-imports'],
    ['src/collect/table.ts', 'no-restricted-imports'],
    ['src/commands/deep.ts', 'no-restricted-imports'],
    ['src/engine/first.ts', 'no-cycle'],
    ['src/engine/unnamed.ts', 'no-default-export'],
    ['test/mocked.test.ts', 'no-restricted-vi-methods'],
  ])('reports %s', (file, rule) => {
    expect(rulesFor(file)).toContain(rule);
  });
  it.each(['src/model/fine.ts', 'src/graph/fine.ts', 'src/collect/fine.ts'])('leaves %s alone', (file) => {
    expect(rulesFor(file)).toEqual([]);
  });
});
