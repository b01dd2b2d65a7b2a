import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { whatIf } from '../src/commands/what-if/answer.ts';
import { startApiServer } from '../src/sim/api-server.ts';
import { writeKubeconfig } from '../src/sim/kubeconfig.ts';
import { median } from './measure.ts';
import { zonedCluster } from './zoned-cluster.ts';

/**
 * One of three zones is lost, on clusters of some sizes: the engine alone in this process, and the program against the
 * embedded server. node bench/what-if.ts --nodes 250,500,1000 --rounds 3
 */
const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '250,500,1000' },
    rounds: { type: 'string', default: '3' },
    program: { type: 'string', default: fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url)) },
  },
});
const timer = '/usr/bin/time';
const rounds = Number(values.rounds);
const operation = { verb: 'lose', text: 'lose zone=zone-a', nodes: [{ key: 'zone', value: 'zone-a' }] } as const;

interface Run {
  /** Processor time: other work on the machine does not change it. */
  readonly seconds: number;
  /** Megabytes. */
  readonly memory: number;
}

// The first answer compiles the engine.
whatIf(zonedCluster(30, new Date()), [operation], 'default');
process.stdout.write('nodes   pods  displaced  engine s  ratio  program s  ratio  memory MB  ratio\n');
let first: { readonly engine: number; readonly seconds: number; readonly memory: number } | undefined;
for (const nodes of values.nodes.split(',').map(Number)) {
  const snapshot = zonedCluster(nodes, new Date());
  const engine: number[] = [];
  let displaced = 0;
  for (let round = 0; round < rounds; round += 1) {
    const copy = { ...snapshot, objects: [...snapshot.objects] };
    const begun = process.cpuUsage();
    displaced = whatIf(copy, [operation], 'default').report.summary.displaced;
    const { user, system } = process.cpuUsage(begun);
    engine.push((user + system) / 1e6);
  }
  const server = await startApiServer(snapshot);
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-bench-'));
  try {
    const kubeconfig = join(directory, 'config');
    await writeKubeconfig(kubeconfig, server.url);
    const runs: Run[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const run = await runProgram(kubeconfig, join(directory, 'usage'));
      if (round > 0) runs.push(run);
    }
    const pods = snapshot.objects.filter(({ kind }) => kind === 'Pod').length;
    const now = {
      engine: median(engine),
      seconds: median(runs.map(({ seconds }) => seconds)),
      memory: median(runs.map(({ memory }) => memory)),
    };
    first ??= now;
    process.stdout.write(
      `${[
        String(nodes).padStart(5),
        String(pods).padStart(6),
        String(displaced).padStart(10),
        now.engine.toFixed(2).padStart(9),
        (now.engine / first.engine).toFixed(1).padStart(6),
        now.seconds.toFixed(2).padStart(10),
        (now.seconds / first.seconds).toFixed(1).padStart(6),
        now.memory.toFixed(0).padStart(10),
        (now.memory / first.memory).toFixed(1).padStart(6),
      ].join(' ')}\n`,
    );
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function runProgram(kubeconfig: string, usage: string): Promise<Run> {
  const words = ['what-if', 'lose', 'zone=zone-a', '-o', 'json', '--request-timeout', '120s'];
  const child = spawn(timer, ['-f', '%U %S %M', '-o', usage, values.program, ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  const [code] = (await once(child, 'close')) as [number | null];
  // 1: something would break. Anything else would be no measurement of an answer.
  if (code !== 1) throw new Error(`the program ended with exit code ${String(code)}`);
  const [user = 0, system = 0, kilobytes = 0] =
    readFileSync(usage, 'utf8').trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  return { seconds: user + system, memory: kilobytes / 1024 };
}
