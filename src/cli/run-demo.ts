import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../model/errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { interruptedExitCode, interruption, untilInterrupted } from './interruption.ts';
import { openSource } from './open-source.ts';
import { complain, print } from './output.ts';
import { renderReport } from './render.ts';
import type { ReportFormat } from './render.ts';

interface DemoFlags {
  readonly once: boolean;
  readonly port?: string | undefined;
  readonly output: ReportFormat;
  readonly color: string;
}

/** Serves the broken cluster, diagnoses it over the network as any other, and leaves nothing behind. */
export async function runDemo(flags: DemoFlags): Promise<ExitCode> {
  const port = portOf(flags.port);
  const interrupted = interruption();
  const [{ startApiServer }, { writeKubeconfig }, { demoSnapshot }] = await Promise.all([import('../sim/api-server.ts'), import('../sim/kubeconfig.ts'), import('../sim/demo/demo-snapshot.ts')]);
  const server = await startApiServer(demoSnapshot(new Date()), { port }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' || error.code === 'EACCES' ? new UserError(`port ${port} cannot be used: ${error.message}`, 'choose another --port, or leave it out') : error;
  });
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-demo-'));
  try {
    const kubeconfig = join(directory, 'kubeconfig');
    await writeKubeconfig(kubeconfig, server.url);
    await printDiagnosis(kubeconfig, flags);
    if (flags.once) return exitCodes.ok;
    await complain(invitation(kubeconfig));
    await untilInterrupted(interrupted);
    return interruptedExitCode() ?? exitCodes.ok;
  } finally {
    await Promise.all([server.close(), rm(directory, { recursive: true, force: true })]);
  }
}

async function printDiagnosis(kubeconfig: string, flags: DemoFlags): Promise<void> {
  const source = await openSource({ kubeconfig });
  try {
    const { report } = await source.diagnose({ targets: [], namespace: undefined, everywhere: true, selector: undefined, breadth: 'pending' });
    await print(await renderReport(report, { output: flags.output, color: flags.color, named: false }));
  } finally {
    await source.close();
  }
}

function portOf(written: string | undefined): number {
  if (written === undefined) return 0;
  const port = Number(written);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UserError(`--port is a number from 0 to 65535, not "${written}"`);
  return port;
}

function invitation(kubeconfig: string): string {
  return [
    '',
    'this cluster runs until Ctrl-C; look around in another terminal:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl get pvc -A',
    '  kubectl csi why-pending -A',
  ].join('\n');
}
