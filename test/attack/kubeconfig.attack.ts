import { spawnSync } from 'node:child_process';
import { DifferenceList } from '../kit/kubeconfig-differences.ts';
import { Lab } from '../kit/kubeconfig-lab.ts';
import { matrixOf } from '../kit/kubeconfig-matrix.ts';
import { askKubectl, askUs, isSameOutcome, kubectlProblem } from '../kit/kubeconfig-outcomes.ts';
import type { Outcome } from '../kit/kubeconfig-outcomes.ts';
import { readRecord, writeRecord } from '../kit/kubeconfig-record.ts';

export const name: string = 'kubeconfig';

/**
 * Every kubeconfig of the matrix, read by kubectl and by us: the same identity arrives at the same server by the same way, or both refuse.
 * Where kubectl is missing, its recorded outcomes are used.
 */
export async function attack(
  report: (line: string) => void,
): Promise<{ readonly cases: number; readonly failures: string[] }> {
  const problem = kubectlProblem();
  if (problem !== undefined) report(`${problem}: compared with the recorded outcomes of kubectl instead`);
  const lab = await Lab.open();
  try {
    const differences = new DifferenceList();
    const failures: string[] = [];
    const outcomes = new Map<string, Outcome>();
    const recorded = process.env['RECORD'] === '1' ? undefined : readRecord();
    const version = problem === undefined ? kubectlVersion() : '';
    const cases = matrixOf(lab.places);
    for (const one of cases) {
      const kubectl = problem === undefined ? await askKubectl(lab, one) : recorded?.outcomes.get(one.name);
      if (kubectl === undefined) {
        failures.push(`${one.name}: no outcome of kubectl is recorded`);
        continue;
      }
      outcomes.set(one.name, kubectl);
      const before = recorded?.outcomes.get(one.name);
      if (recorded?.version === version && (before === undefined || !isSameOutcome(kubectl, before)))
        failures.push(`${one.name}: kubectl ${version} does something else than recorded (RECORD=1 records it)`);
      const { outcome } = await askUs(lab, one);
      differences.note({ name: one.name, kubectl, ours: outcome });
    }
    if (process.env['RECORD'] === '1' && problem === undefined) writeRecord({ version, outcomes });
    for (const [id, count] of differences.seen) report(`documented difference ${id}: ${count} cases`);
    return { cases: cases.length, failures: [...failures, ...differences.finish()] };
  } finally {
    await lab.close();
  }
}

function kubectlVersion(): string {
  const { stdout } = spawnSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  const { clientVersion } = JSON.parse(stdout) as { readonly clientVersion: { readonly gitVersion: string } };
  return clientVersion.gitVersion;
}
