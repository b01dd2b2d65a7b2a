import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RawObject, Snapshot } from '../src/core/kube/snapshot.ts';
import { startApiServer } from '../src/sim/api-server.ts';
import type { ApiServer } from '../src/sim/api-server.ts';
import { demoSnapshot } from '../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../src/sim/kubeconfig.ts';
import { largeCluster } from '../test/kit/large-cluster.ts';
import { measure, median, ratioTable } from './measure.ts';
import type { Measured } from './measure.ts';

/**
 * The screen of a small and of a large cluster, in one run on one machine: the time until the first frame, next to
 * `why-pending -A`, and the time from a key to its frame, while nothing changes and while the cluster changes a hundred
 * times a second.
 */
const program = fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url));
const rounds = Number(process.env['ROUNDS'] ?? 5);
const keys = 60;

/** `script` gives the program a terminal. */
function openScreen(kubeconfig: string): {
  readonly child: ChildProcessWithoutNullStreams;
  readonly until: (isThere: (text: string) => boolean) => Promise<number>;
  readonly forget: () => void;
} {
  const child = spawn('script', ['-qefc', `stty rows 40 cols 120; exec '${program}' tui`, '/dev/null'], {
    env: { ...process.env, KUBECONFIG: kubeconfig, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
  });
  let text = '';
  let look: (() => void) | undefined;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    look?.();
  });
  const until = (isThere: (text: string) => boolean): Promise<number> =>
    new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error(`the screen does not come:\n${text.slice(-2000)}`));
      const late = setTimeout(fail, 60_000);
      child.once('close', fail);
      look = () => {
        if (!isThere(text)) return;
        look = undefined;
        clearTimeout(late);
        child.off('close', fail);
        resolve(performance.now());
      };
      look();
    });
  return { child, until, forget: () => (text = '') };
}

async function closeScreen(child: ChildProcessWithoutNullStreams): Promise<void> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.stdin.write('q');
  await closed;
}

async function firstFrames(name: string, kubeconfig: string): Promise<Measured> {
  const milliseconds: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const begun = performance.now();
    const { child, until } = openScreen(kubeconfig);
    const taken = (await until((text) => text.includes('latest cause first'))) - begun;
    if (round > 0) milliseconds.push(taken);
    await closeScreen(child);
  }
  return { name, milliseconds };
}

async function keyFrames(name: string, kubeconfig: string, disturb?: () => void): Promise<Measured> {
  const { child, until, forget } = openScreen(kubeconfig);
  await until((text) => text.includes('latest cause first') && text.includes('live'));
  // The table of all claims, since it is long.
  forget();
  child.stdin.write('2');
  await until((text) => text.includes('Bound') && /1\/\d\d+/.test(text));
  await sleep(2000);
  const storm = disturb && setInterval(disturb, 10);
  const milliseconds: number[] = [];
  for (let pressed = 0; pressed < keys; pressed += 1) {
    await sleep(50 + 40 * Math.random());
    forget();
    const begun = performance.now();
    child.stdin.write(pressed % 2 === 0 ? 'j' : 'k');
    // The last line says where the cursor is; frames for other reasons do not count.
    milliseconds.push((await until((text) => text.includes(pressed % 2 === 0 ? '2/' : '1/'))) - begun);
  }
  clearInterval(storm);
  await closeScreen(child);
  return { name, milliseconds };
}

const farthest = ({ name, milliseconds }: Measured): string =>
  `${name}: 95 of 100 keys within ${(milliseconds.toSorted((a, b) => a - b)[Math.floor(milliseconds.length * 0.95)] ?? Number.NaN).toFixed(0)} ms, median ${median(milliseconds).toFixed(0)} ms`;

/** Writes claims again and again, each time with another label. */
function stormOver(server: ApiServer, snapshot: Snapshot): () => void {
  const claims = snapshot.objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').slice(0, 200);
  let turn = 0;
  return () => {
    turn += 1;
    const claim = claims[turn % claims.length] as RawObject;
    server.apply({ ...claim, metadata: { ...claim.metadata, labels: { turn: String(turn) } } });
  };
}

const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-bench-'));
const large = largeCluster({ bound: 10_000 });
const servers = [await startApiServer(demoSnapshot(new Date())), await startApiServer(large)] as const;
try {
  const [small, big] = [join(directory, 'small'), join(directory, 'large')] as const;
  await writeKubeconfig(small, servers[0].url);
  await writeKubeconfig(big, servers[1].url);
  const report = 'why-pending -A, 10,000 claims';
  const measured = await measure(
    [{ name: report, command: program, words: ['why-pending', '-A'], env: { KUBECONFIG: big } }],
    rounds,
  );
  process.stdout.write(
    `${ratioTable([...measured, await firstFrames('tui, first frame, 10,000 claims', big)], report)}\n\n`,
  );
  const inPeace = await keyFrames('key to frame, demo', small);
  const withMany = await keyFrames('key to frame, 10,000 claims', big);
  const inStorm = await keyFrames(
    'key to frame, 10,000 claims, 100 changes a second',
    big,
    stormOver(servers[1], large),
  );
  process.stdout.write(
    `${ratioTable([inPeace, withMany, inStorm], inPeace.name)}\n${[inPeace, withMany, inStorm].map(farthest).join('\n')}\n`,
  );
} finally {
  await Promise.all(servers.map((server) => server.close()));
  await rm(directory, { recursive: true, force: true });
}
