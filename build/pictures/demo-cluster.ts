import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startApiServer } from '../../src/sim/api-server.ts';
import { demoBackend } from '../../src/sim/demo/demo-backend.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../../src/sim/kubeconfig.ts';

const program = join(import.meta.dirname, '../../bin/kubectl-csi');
const patienceMs = 30_000;

/** The demo cluster with a clock that stands still, so that the same program always draws the same pictures. */
export interface DemoCluster {
  readonly kubeconfig: string;
  readonly directory: string;
  /** What `kubectl csi WORDS` prints on a terminal of 80 columns. */
  readonly run: (words: string) => Promise<string>;
  /** Moves the clock. */
  readonly pass: (seconds: number) => void;
  /** Scales a deployment with kubectl, or where there is none with the request that kubectl would send. */
  readonly scale: (namespace: string, name: string, replicas: number) => Promise<string>;
  readonly untilRunning: (namespace: string, pod: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function startDemoCluster(): Promise<DemoCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-pictures-'));
  let now = Date.parse('2026-11-17T03:07:00Z');
  const server = await startApiServer(demoSnapshot(new Date(now)), {
    now: () => now,
    controllers: { backend: demoBackend, stepMs: 10 },
  });
  const kubeconfig = join(directory, 'kubeconfig');
  await writeKubeconfig(kubeconfig, server.url);
  return {
    kubeconfig,
    directory,
    run: (words) => printed(words.split(' '), kubeconfig),
    pass: (seconds) => void (now += seconds * 1000),
    scale: (namespace, name, replicas) => scale(server.url, kubeconfig, { namespace, name, replicas }),
    untilRunning: async (namespace, pod) => {
      const url = `${server.url}/api/v1/namespaces/${namespace}/pods/${pod}`;
      for (const begun = Date.now(); ; await sleep(20)) {
        const { status } = (await (await fetch(url)).json()) as { status?: { phase?: string } };
        if (status?.phase === 'Running') return;
        if (Date.now() - begun > patienceMs) throw new Error(`pod/${pod} in namespace ${namespace} does not run`);
      }
    },
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function printed(words: readonly string[], kubeconfig: string): Promise<string> {
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    COLUMNS: '80',
    LANG: 'C.UTF-8',
    LC_ALL: '',
    NO_COLOR: undefined,
  };
  return new Promise((resolve, reject) => {
    // Exit code 1 says that something is blocked: it is what most pictures show.
    execFile(program, [...words, '--color=always'], { env }, (error, stdout, stderr) =>
      stdout === '' ? reject(error ?? new Error(`${words.join(' ')} printed nothing\n${stderr}`)) : resolve(stdout),
    );
  });
}

async function scale(
  url: string,
  kubeconfig: string,
  { namespace, name, replicas }: { readonly namespace: string; readonly name: string; readonly replicas: number },
): Promise<string> {
  const words = ['-n', namespace, 'scale', 'deployment', name, `--replicas=${replicas}`];
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  try {
    return (await promisify(execFile)('kubectl', words, { env })).stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const answer = await fetch(`${url}/apis/apps/v1/namespaces/${namespace}/deployments/${name}/scale`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: JSON.stringify({ spec: { replicas } }),
  });
  if (!answer.ok) throw new Error(`deployment/${name} cannot be scaled: ${await answer.text()}`);
  return `deployment.apps/${name} scaled\n`;
}
