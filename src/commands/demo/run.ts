import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../core/kube/errors.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode, interruption, untilInterrupted } from '../../cli/interruption.ts';
import { openSource } from '../../cli/open-source.ts';
import { complain, print } from '../../terminal/output.ts';
import { renderReport } from '../../cli/render.ts';
import type { ReportFormat } from '../../cli/render.ts';

interface DemoFlags {
  readonly once: boolean;
  readonly tui: boolean;
  readonly port?: string | undefined;
  readonly output: ReportFormat;
  readonly color: string;
}

/** Serves the broken cluster, diagnoses it over the network as any other, and leaves nothing behind. */
export async function runDemo(flags: DemoFlags): Promise<ExitCode> {
  const port = portOf(flags.port);
  refuseContradictions(flags);
  const interrupted = interruption();
  const [{ startApiServer }, { writeKubeconfig }, { demoSnapshot }] = await Promise.all([
    import('../../sim/api-server.ts'),
    import('../../sim/kubeconfig.ts'),
    import('../../sim/demo/demo-snapshot.ts'),
  ]);
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-demo-'));
  const tidyUp: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  // A terminal that is closed takes the process with it, before anything else could tidy up.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  try {
    // The drivers speak gRPC, which is slow to load: only for someone who stays to talk to them.
    const drivers = flags.once
      ? undefined
      : await (await import('../../sim/demo/demo-drivers.ts')).startDemoDrivers(directory);
    if (drivers !== undefined) tidyUp.push(() => drivers.stop());
    const server = await startApiServer(demoSnapshot(new Date()), { port, ...drivers?.contents }).catch(
      (error: NodeJS.ErrnoException) => {
        throw error.code === 'EADDRINUSE' || error.code === 'EACCES'
          ? new UserError(`port ${port} cannot be used: ${error.message}`, 'choose another --port, or leave it out')
          : error;
      },
    );
    tidyUp.push(() => server.close());
    const kubeconfig = join(directory, 'kubeconfig');
    await writeKubeconfig(kubeconfig, server.url);
    if (flags.tui)
      return await (
        await import('../tui/run.ts')
      ).runTuiCommand({ kubeconfig, 'all-namespaces': true, ascii: false, color: flags.color });
    await printDiagnosis(kubeconfig, flags);
    if (flags.once) return exitCodes.ok;
    await complain(invitation(kubeconfig, directory));
    await untilInterrupted(interrupted);
    return interruptedExitCode() ?? exitCodes.ok;
  } finally {
    // The directory last: the drivers take their sockets along when they stop.
    for (const step of tidyUp.toReversed()) await step();
  }
}

async function printDiagnosis(kubeconfig: string, flags: DemoFlags): Promise<void> {
  const source = await openSource({ kubeconfig });
  try {
    const { report } = await source.diagnose({
      targets: [],
      namespace: undefined,
      everywhere: true,
      selector: undefined,
      breadth: 'pending',
    });
    await print(await renderReport(report, { output: flags.output, color: flags.color, named: false }));
  } finally {
    await source.close();
  }
}

function refuseContradictions({ tui, once }: DemoFlags): void {
  if (tui && once) throw new UserError('--tui and --once exclude each other', 'leave one of them out');
}

function portOf(written: string | undefined): number {
  if (written === undefined) return 0;
  const port = Number(written);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UserError(`--port is a number from 0 to 65535, not "${written}"`);
  return port;
}

function invitation(kubeconfig: string, sockets: string): string {
  return [
    '',
    'this cluster runs until Ctrl-C; look around in another terminal:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl get pvc -A',
    '  kubectl csi why-pending -A',
    '  kubectl csi probe --all-nodes            the drivers of the cluster, through the API server',
    '  kubectl csi probe --all-nodes --exec     the same, and gRPC through their pods',
    `  kubectl csi probe '${sockets}/*.sock'   the same drivers, on this machine`,
  ].join('\n');
}
