import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { Report, ReportItem } from '../../src/core/report/report.ts';
import { runProgram } from '../kit/run-program.ts';
import { loadDump } from '../sim/dump.ts';

interface Expectation {
  readonly target: string;
  readonly namespace: string;
  readonly status: string;
  readonly cause: string | null;
}

const truth = join(import.meta.dirname, '../truth');
const dumps = [
  'missing-class',
  'quota-statefulset',
  'wffc-no-pod',
  'wffc-insufficient-cpu',
  'provisioner-down',
  'secret-missing',
  'ephemeral-conflict',
  'volume-node-cordoned',
  'rwop-conflict',
  'healthy',
];

describe('a dump of a real cluster, asked as a file and as a live cluster', () => {
  it.each(dumps)('%s has the same answer either way', async (name) => {
    const path = join(truth, name, 'cluster.yaml');
    const { target, namespace, status, cause } = JSON.parse(
      readFileSync(join(truth, name, 'expect.json'), 'utf8'),
    ) as Expectation;
    const snapshot = loadDump(path);
    const server = await startApiServer(snapshot, { now: () => Date.parse(snapshot.takenAt), renewsLeases: false });
    onTestFinished(() => server.close());

    const question = ['why-pending', target, '-n', namespace, '-o', 'json'];
    const file = await runProgram([...question, '--from', path]);
    const live = await runProgram([...question, '--server', server.url]);

    expect({ file: file.stderr, live: live.stderr }).toEqual({ file: '', live: '' });
    const answers = { file: itemOf(file.stdout), live: itemOf(live.stdout) };
    expect({ status: answers.live.status, cause: answers.live.cause ?? null }).toEqual({ status, cause });
    expect(judgementOf(answers.live)).toEqual(judgementOf(answers.file));
    expect(live.exitCode).toBe(file.exitCode);
  });
});

function itemOf(stdout: string): ReportItem {
  const [item] = (JSON.parse(stdout) as Report).items;
  if (!item) throw new Error('the report has no item');
  return item;
}

/** A cluster can prove what a dump, which may have left something out, can only make likely: the words may differ. */
function judgementOf({ target, status, stage, cause, stages }: ReportItem): unknown {
  return { target, status, stage, cause, stages: stages.map((result) => [result.stage, result.state]) };
}
