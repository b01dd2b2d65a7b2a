import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApiServer } from '../src/sim/api-server.ts';
import { demoSnapshot } from '../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../src/sim/kubeconfig.ts';
import { measure, ratioTable } from './measure.ts';

/** One stuck claim, asked of the same embedded server in one run: us beside `kubectl describe pvc`. */
const program = fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url));
const executable = fileURLToPath(new URL('../exe/kubectl-csi', import.meta.url));
const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-bench-'));
const server = await startApiServer(demoSnapshot(new Date()));
try {
  const kubeconfig = join(directory, 'config');
  await writeKubeconfig(kubeconfig, server.url);
  const env = { KUBECONFIG: kubeconfig };
  const claims = demoSnapshot(new Date()).objects.filter(
    (object) => object.kind === 'PersistentVolumeClaim' && (object['status'] as { phase?: string }).phase === 'Pending',
  );
  const [claim] = claims;
  if (!claim) throw new Error('the demo cluster has no pending claim');
  const named = ['-n', claim.metadata.namespace ?? 'default', claim.metadata.name];
  const describe = `kubectl describe pvc ${claim.metadata.name}`;
  const everything = 'kubectl get pvc -A';
  const measured = await measure(
    [
      { name: describe, command: 'kubectl', words: ['describe', 'pvc', ...named], env },
      {
        name: `kubectl-csi why-pending ${claim.metadata.name}`,
        command: program,
        words: ['why-pending', ...named],
        env,
      },
      ...(existsSync(executable)
        ? [
            {
              name: `the executable, why-pending ${claim.metadata.name}`,
              command: executable,
              words: ['why-pending', ...named],
              env,
            },
          ]
        : []),
      { name: everything, command: 'kubectl', words: ['get', 'pvc', '-A'], env },
      { name: 'kubectl-csi why-pending -A', command: program, words: ['why-pending', '-A'], env },
    ],
    20,
  );
  process.stdout.write(
    `${ratioTable(measured.slice(0, -2), describe)}\n${ratioTable(measured.slice(-2), everything)}\n`,
  );
} finally {
  await server.close();
  await rm(directory, { recursive: true, force: true });
}
