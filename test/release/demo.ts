import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../src/sim/api-server.ts';
import { startDemoDrivers } from '../../src/sim/demo/demo-drivers.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../../src/sim/kubeconfig.ts';

/** A broken cluster and drivers on sockets, for the executables to look at. */
export interface Demo {
  readonly kubeconfig: string;
  readonly readySocket: string;
  readonly stop: () => Promise<void>;
}

export async function startDemo(): Promise<Demo> {
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-release-'));
  const drivers = await startDemoDrivers(directory);
  const server = await startApiServer(demoSnapshot(new Date()), { ...drivers.contents });
  const kubeconfig = join(directory, 'kubeconfig');
  await writeKubeconfig(kubeconfig, server.url);
  return {
    kubeconfig,
    readySocket: join(directory, 'disk-controller.sock'),
    stop: async () => {
      await server.close();
      drivers.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
