import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { startApiServer } from '../../src/sim/api-server.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../../src/sim/kubeconfig.ts';
import { programPath } from '../kit/run-program.ts';
import { codeLines, readPage } from './pages.ts';

const why = spawnSync('kubectl', ['version', '--client']).status === 0 ? '' : ' (skipped: kubectl is not on the PATH)';
const patience = 120_000;

it.skipIf(why !== '')(
  `the dump that README.md asks for leads to the answers of the cluster itself${why}`,
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
    const server = await startApiServer(demoSnapshot(new Date()));
    onTestFinished(async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    });
    const kubeconfig = join(directory, 'kubeconfig');
    await writeKubeconfig(kubeconfig, server.url);
    const path = `${dirname(programPath)}:${process.env['PATH'] ?? ''}`;
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: directory, PATH: path };
    const sh = async (line: string): Promise<string> => {
      // Exit code 1 says that something is blocked.
      const { stdout } = await promisify(execFile)('sh', ['-c', `${line} || test $? = 1`], { env, cwd: directory });
      return stdout;
    };
    const recipe = codeLines(readPage('README.md')).filter((line) => /^kubectl get .* > |--from dump\.yaml/.test(line));
    expect(recipe).toHaveLength(3);
    const [dump = '', snapshots = '', question = ''] = recipe;
    await sh(dump);
    await sh(snapshots);
    const fromDump = await sh(`${question} -o name`);
    expect(fromDump.split('\n').length).toBeGreaterThan(25);
    expect(fromDump).toBe(await sh('kubectl csi why -A -o name'));
    const { items } = JSON.parse(await sh(`${question} -o json`)) as { items: { unread: { resource: string }[] }[] };
    expect(new Set(items.flatMap(({ unread }) => unread.map(({ resource }) => resource)))).toEqual(new Set(['secrets']));
  },
  patience,
);
