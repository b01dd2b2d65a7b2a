import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode, interruption, untilInterrupted } from '../../cli/interruption.ts';
import { openSource } from '../../cli/open-source.ts';
import { renderDiagnosis } from '../../cli/render.ts';
import type { ReportFormat } from '../../cli/render.ts';
import { UserError } from '../../core/kube/errors.ts';
import { complain, print } from '../../terminal/output.ts';
import { farewell, hintAfterwards, invitation } from './text.ts';

interface DemoFlags {
  readonly once: boolean;
  readonly tui: boolean;
  readonly port?: string | undefined;
  readonly details: boolean;
  readonly output: ReportFormat;
  readonly color: string;
}

/** Shows the cluster of a kubeconfig on the live screen. */
type ShowScreen = (kubeconfig: string) => Promise<ExitCode>;

/** Serves the broken cluster, diagnoses it over the network like any other, and leaves nothing behind. */
export async function runDemo(flags: DemoFlags, showScreen: ShowScreen): Promise<ExitCode> {
  const port = portOf(flags.port);
  refuseContradictions(flags);
  const interrupted = interruption();
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-demo-'));
  const cleanUp: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  // A closed terminal ends the process before the steps below can run.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  try {
    const kubeconfig = await startCluster(directory, port, flags, cleanUp);
    if (flags.tui) return await showScreen(kubeconfig);
    await printDiagnosis(kubeconfig, flags);
    if (flags.once) {
      if (flags.output === 'text' || flags.output === 'wide') await complain(farewell);
      return exitCodes.ok;
    }
    await complain(invitation(kubeconfig, directory));
    await untilInterrupted(interrupted);
    return interruptedExitCode() ?? exitCodes.ok;
  } finally {
    // In reverse order, so that the directory goes last: the drivers remove their sockets when they stop.
    for (const step of cleanUp.toReversed()) await step();
  }
}

/** Starts the drivers and the API server, and returns the path of a kubeconfig for it. */
async function startCluster(
  directory: string,
  port: number,
  { once }: DemoFlags,
  cleanUp: (() => unknown)[],
): Promise<string> {
  const [{ startApiServer }, { writeKubeconfig }, { demoSnapshot }, { demoBackend }] = await Promise.all([
    import('../../sim/api-server.ts'),
    import('../../sim/kubeconfig.ts'),
    import('../../sim/demo/demo-snapshot.ts'),
    import('../../sim/demo/demo-backend.ts'),
  ]);
  // gRPC is slow to load, and with --once nobody can talk to the drivers.
  const drivers = once ? undefined : await (await import('../../sim/demo/demo-drivers.ts')).startDemoDrivers(directory);
  if (drivers !== undefined) cleanUp.push(() => drivers.stop());
  const options = { port, controllers: { backend: demoBackend }, ...drivers?.contents };
  const server = await startApiServer(demoSnapshot(new Date()), options).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' || error.code === 'EACCES'
      ? new UserError(
          `port ${port} cannot be used: ${error.message}`,
          'Choose another --port, or remove it to use a free one',
        )
      : error;
  });
  cleanUp.push(() => server.close());
  if (drivers !== undefined) server.onPodStarted((pod) => void drivers.restart(pod));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeKubeconfig(kubeconfig, server.url);
  return kubeconfig;
}

async function printDiagnosis(kubeconfig: string, flags: DemoFlags): Promise<void> {
  const source = await openSource({ kubeconfig });
  try {
    const diagnosis = await source.diagnose({
      targets: [],
      namespace: undefined,
      everywhere: true,
      selector: undefined,
      breadth: 'pending',
    });
    const { output, color, details, once } = flags;
    const look = {
      output,
      color,
      details,
      named: false,
      ...(once ? { hint: hintAfterwards } : { chosen: { kubeconfig } }),
    };
    await print(await renderDiagnosis(diagnosis, look));
  } finally {
    await source.close();
  }
}

function refuseContradictions({ tui, once }: DemoFlags): void {
  if (tui && once) throw new UserError('--tui cannot be combined with --once', 'Remove one of them');
}

function portOf(written: string | undefined): number {
  if (written === undefined) return 0;
  const port = Number(written);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UserError(`--port must be a number from 0 to 65535, not "${written}"`);
  return port;
}
