import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ProbeReport } from '../../../src/core/report/probe-report.ts';
import { runProgram } from '../../kit/run-program.ts';
import type { Finished } from '../../kit/run-program.ts';

it('the demo runs drivers that can be probed on this machine and through the cluster, and takes them away', async () => {
  const probes: Promise<Finished>[] = [];
  let directory = '';
  const demo = await runProgram(['demo', '-o', 'name'], {
    onOutput: (_stdout, stderr, kill) => {
      const [, found] = /probe '(.+)\/\*\.sock'.*\n/.exec(stderr) ?? [];
      if (found === undefined || directory !== '') return;
      directory = found;
      const env = { KUBECONFIG: `${found}/kubeconfig` };
      probes.push(
        runProgram(['probe', `${found}/*.sock`, '--timeout', '4s', '-o', 'json']),
        runProgram(['probe', '--all-nodes', '--exec', '--deep', '--timeout', '4s', '-o', 'json'], { env }),
      );
      void Promise.allSettled(probes).then(() => kill('SIGINT'));
    },
  });
  expect(demo.exitCode).toBe(130);
  expect(existsSync(directory)).toBe(false);
  const [local, remote] = (await Promise.all(probes)).map(({ exitCode, stdout }) => ({
    exitCode,
    report: JSON.parse(stdout) as ProbeReport,
  }));
  expect(local).toMatchObject({
    exitCode: 1,
    report: { summary: { ready: 3, initialising: 1, unhealthy: 2, unreachable: 1 } },
  });
  const seen = remote?.report.items.map(
    ({ driver, roles, node, via, failure, status }) =>
      `${driver} ${roles?.join()} ${node ?? ''} ${via} ${failure ?? status}`,
  );
  expect(seen).toEqual(
    expect.arrayContaining([
      'disk.csi.example.com controller worker-2 exec ready',
      'disk.csi.example.com node worker-1 exec ready',
      'disk.csi.example.com node worker-3 exec rpc-hang',
      'files.csi.example.com node worker-1 healthz not-ready',
      'files.csi.example.com node worker-2 healthz failed-precondition',
      'files.csi.example.com node worker-3 healthz no-connection',
    ]),
  );
  expect(remote?.report.items.flatMap(({ drift }) => drift)).toEqual([
    'the scheduler assumes 25 volumes on worker-2 (CSINode), but the driver reports 16 volumes',
    'this is version 1.3.9 of the driver, but its controller is version 1.4.0',
  ]);
});
