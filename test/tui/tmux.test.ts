import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer } from '../../src/sim/api-server.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../../src/sim/kubeconfig.ts';
import { programPath } from '../kit/run-program.ts';
import { Tmux, whyNoTmux } from '../kit/tmux.ts';

/** Ages go on. */
const ageless = (screen: string): string => screen.replaceAll(/ *\b(\d+[ydhms]){1,2}\b/g, ' AGE');

const snapshot = demoSnapshot(new Date());

/** A resize takes a moment to reach the program, and its frame a moment to reach the terminal. */
const until = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 240_000, interval: 100 });

async function openShell(size: { readonly columns: number; readonly rows: number }): Promise<{
  readonly tmux: Tmux;
  readonly directory: string;
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}> {
  let server: ApiServer = await startApiServer(snapshot);
  const directory = await mkdtemp(join(tmpdir(), 'tui-'));
  const kubeconfig = join(directory, 'config');
  await writeKubeconfig(kubeconfig, server.url);
  const tmux = await Tmux.start(size, { KUBECONFIG: kubeconfig, LANG: 'C.UTF-8', CI: 'true' });
  const { port } = server;
  onTestFinished(async () => {
    await tmux.close();
    await server.close().catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  });
  const stop = () => server.close();
  const restart = async (): Promise<void> => {
    server = await startApiServer(snapshot, { port });
  };
  return { tmux, directory, stop, restart };
}

const untried = whyNoTmux();

it('walks to a page and back, survives a restart of the server, and leaves the terminal as it was', async (context) => {
  if (untried !== undefined) return context.skip(untried);
  const { tmux, stop, restart } = await openShell({ columns: 80, rows: 24 });
  await tmux.sees(/[$#]/);
  await tmux.type('stty -a | cksum; echo before');
  await tmux.press('Enter');
  const before = await tmux.sees(/^before$/m);
  await tmux.type(`${programPath} tui; echo "exit code $?"`);
  await tmux.press('Enter');

  // The first frame knows only what is pending, and says that it is still connecting.
  const list = await tmux.sees(/ live .*3 waiting[\s\S]*sched-rwop-conflict[\s\S]*q quit/);
  expect(list).toMatch(/^kubectl csi {2}demo {2}all namespaces {2}live +✖ \d+ stuck {2}3 waiting$/m);
  expect(list).toContain('[1 stuck] 2 claims 3 pods 4 volumes 5 classes 6 drivers 7 attach 8 snap 9 events');
  expect(await tmux.modes()).toEqual({ isAlternate: true, hasCursor: false });

  await tmux.type('/metrics-rest');
  await tmux.sees(/\/metrics-rest_/);
  await tmux.press('Enter');
  const filtered = await tmux.sees(/> .*restore-snapshot-missing[\s\S]*esc clear/);
  await tmux.press('Enter');
  const journey = await tmux.sees(/Cause: restore-snapshot-missing \(certain\)/);
  expect(journey).toContain('[journey] chain timeline events yaml');
  expect(journey).toContain('1. Recreate the claim from VolumeSnapshot "metrics-nightly"');
  await tmux.press('Enter');
  const page = await tmux.sees(/The claim is to be restored from a VolumeSnapshot that does not exist\./);
  expect(page).toContain('stuck > pvc/metrics-restored -n data > restore-snapshot-missing');
  await tmux.press('Escape');
  expect(ageless(await tmux.sees(/\[journey\]/))).toBe(ageless(journey));
  await tmux.press('Escape');
  expect(ageless(await tmux.sees(/\[1 stuck\]/))).toBe(ageless(filtered));
  await tmux.press('Escape');
  await tmux.sees(/sched-rwop-conflict/);

  await stop();
  const stale = await tmux.sees(/STALE since \d{4}-/);
  expect(stale).toContain('sched-rwop-conflict');
  await tmux.press('2');
  await tmux.sees(/\[2 claims\]/);
  await restart();
  await tmux.sees(/all namespaces {2}live/);
  await tmux.sees(/metrics-restored +Pending/);

  await tmux.resize(130, 30);
  await tmux.press('1');
  await tmux.sees(/│ Cause: /);
  await tmux.resize(80, 24);
  await tmux.sees(/\[1 stuck\][\s\S]*─{80}/);

  await tmux.press('q');
  await tmux.sees(/exit code 0/);
  expect(await tmux.modes()).toEqual({ isAlternate: false, hasCursor: true });
  await tmux.type('stty -a | cksum; echo after');
  await tmux.press('Enter');
  const after = await tmux.sees(/^after$/m);
  const checksum = /^(\d+ \d+)\n(?:before|after)$/m;
  expect(checksum.exec(after.slice(after.indexOf('exit code')))?.[1]).toBe(checksum.exec(before)?.[1]);
  expect(after.startsWith(before)).toBe(true);
});

it('shows the demo, at any size, and leaves the terminal as it was', async (context) => {
  if (untried !== undefined) return context.skip(untried);
  const { tmux } = await openShell({ columns: 120, rows: 40 });
  await tmux.sees(/[$#]/);
  await tmux.type(`${programPath} demo --tui; echo "exit code $?"`);
  await tmux.press('Enter');
  await tmux.sees(/ live .*3 waiting[\s\S]*q quit/);
  await tmux.type('/sc-missing');
  await tmux.press('Enter');
  await tmux.sees(/> ▸ ✖ sc-missing .*│/);
  await tmux.press('x');
  const page = await tmux.sees(/stuck > sc-missing\n[\s\S]*a StorageClass that does not exist\.[\s\S]*q quit/);
  for (const [columns, rows] of [
    [80, 24],
    [200, 50],
    [70, 12],
  ] as const) {
    await tmux.resize(columns, rows);
    await until(async () => {
      const lines = (await tmux.screen()).split('\n');
      expect(lines).toHaveLength(rows);
      expect(lines[0]).toMatch(/^kubectl csi {2}demo .* stuck {2}3 waiting$/);
      expect(lines[0]).toHaveLength(columns);
      expect(lines[1]).toBe('stuck > sc-missing');
      expect(lines.at(-1)).toMatch(/^esc back {2}\/ find {2}\? help {2}q quit/);
    });
  }
  await tmux.resize(120, 40);
  await until(async () => expect(await tmux.screen()).toBe(page));
  await tmux.press('Escape');
  await tmux.sees(/> ▸ ✖ sc-missing .*│/);
  await tmux.press('q');
  await tmux.sees(/exit code 0/);
  expect(await tmux.modes()).toEqual({ isAlternate: false, hasCursor: true });
});

it('leaves the terminal as it was after Ctrl-C and after a TERM', async (context) => {
  if (untried !== undefined) return context.skip(untried);
  const { tmux, directory } = await openShell({ columns: 80, rows: 24 });
  await tmux.sees(/[$#]/);
  for (const [end, code] of [
    ['C-c', 130],
    ['TERM', 143],
  ] as const) {
    const file = join(directory, 'pid');
    await tmux.type(`clear; sh -c 'echo $$ >${file}; exec ${programPath} tui'; echo "exit code $?"`);
    await tmux.press('Enter');
    await tmux.sees(/sched-rwop-conflict/);
    if (end === 'C-c') await tmux.press('C-c');
    else process.kill(Number(await readFile(file, 'utf8')), 'SIGTERM');
    await tmux.sees(new RegExp(`exit code ${code}`));
    expect(await tmux.modes(), end).toEqual({ isAlternate: false, hasCursor: true });
  }
});
