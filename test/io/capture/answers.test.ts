import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anonymize } from '../../../src/io/capture/anonymize.ts';
import { makeCapture } from '../../../src/io/capture/make-capture.ts';
import { encodeCapture } from '../../../src/io/capture/write-capture.ts';
import { readFiles } from '../../../src/io/files/read-files.ts';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import type { Selection, TargetRef } from '../../../src/core/kube/selection.ts';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import { loadScenarios } from '../../kit/scenario.ts';

/** Objects of kinds that only a populator knows are in no dump and no capture: their names cannot be suggested. */
const needsForeignKinds = ['populator-source-missing'];
/** A capture holds the workloads of storage; another scheduler is found by the arguments of its own workload only. */
const needsOtherWorkloads = ['wffc-scheduler-missing--scaled-to-nought'];
/** Two names that differ by a slip of the keyboard have nothing in common once they are replaced. */
const needsSpelling = ['pv-reserved-for-absent-claim--advice'];
const everything: Selection = { breadth: 'everything' };

describe('a scenario, judged from its capture', () => {
  const scenarios = loadScenarios();

  it('has the same answer in the same words, and the same causes under other names', () => {
    const wrong: string[] = [];
    for (const { id, snapshot, target } of scenarios) {
      const captured = makeCapture(snapshot).snapshot;
      const answer = answerOf(captured, { targets: [target] });
      if (
        ![...needsForeignKinds, ...needsOtherWorkloads].includes(id) &&
        answer.words !== answerOf(snapshot, { targets: [target] }).words
      )
        wrong.push(`${id}: other words`);
      const disguised = disguise(captured, target);
      if (
        !needsSpelling.includes(id) &&
        answer.causes !== answerOf(disguised.snapshot, { targets: [disguised.target] }).causes
      )
        wrong.push(`${id}: other causes`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('a dump of a real cluster, judged from its capture', () => {
  const truth = join(import.meta.dirname, '../../truth');

  it.each(readdirSync(truth))('%s has the same answer, and the same causes under other names', async (name) => {
    const snapshot = await readFiles([join(truth, name, 'cluster.yaml')]);
    const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'capture.json.gz');
    await writeFile(path, encodeCapture(makeCapture(snapshot).snapshot, true));
    const read = await readFiles([path]);
    expect(read.source).toEqual({ type: 'capture', name: 'capture.json.gz' });
    const answer = answerOf(snapshot, everything);
    expect(answerOf(read, everything).words).toBe(answer.words);
    expect(answerOf(anonymize(read, 'key'), everything).causes).toBe(answer.causes);
  });
});

describe('captures side by side', () => {
  it('hold together what each of them lacks', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const write = async (name: string, kind: 'Node' | 'Pod'): Promise<string> => {
      const path = join(directory, name);
      const lacks = kind === 'Node' ? 'Pod' : 'Node';
      await writeFile(
        path,
        encodeCapture(
          {
            apiVersion: 'csi.kubectl.dev/v1',
            kind: 'Snapshot',
            takenAt: '2026-03-01T12:00:00Z',
            source: { type: 'capture', name },
            objects: [{ kind, metadata: { name: 'a' } }],
            observations: [
              { kind, scope: {}, state: 'complete' },
              { kind: lacks, scope: {}, state: 'unread', message: 'not in the dump' },
              { kind: 'Lease', scope: {}, state: 'denied', message: 'forbidden' },
            ],
          },
          true,
        ),
      );
      return path;
    };
    const { observations } = await readFiles([
      await write('nodes.json.gz', 'Node'),
      await write('pods.json.gz', 'Pod'),
    ]);
    expect(
      ['Node', 'Pod', 'Lease', 'Secret'].map((kind) =>
        observations.filter((observation) => observation.kind === kind).map(({ state }) => state),
      ),
    ).toEqual([['complete'], ['complete'], ['denied'], ['unread']]);
  });
});

/** The causes stand in no order: names decide the order, and they are others. */
function answerOf(snapshot: Snapshot, selection: Selection): { readonly words: string; readonly causes: string } {
  const { items, causes, summary, unread, takenAt } = diagnose(snapshot, selection).report;
  return {
    words: JSON.stringify({
      takenAt,
      summary,
      unread,
      causes,
      items: items.map(({ target, status, stage, cause, summary: words, findings, stages }) => [
        target,
        status,
        stage,
        cause,
        words,
        stages,
        findings.map((finding) => [finding.cause, finding.confidence]),
      ]),
    }),
    causes: JSON.stringify(
      items
        .map(({ status, stage, cause, findings }) =>
          JSON.stringify([status, stage, cause, findings.map((finding) => finding.cause)]),
        )
        .sort(),
    ),
  };
}

/** The target goes along as something that was asked for, to learn its new name. */
function disguise(
  captured: Snapshot,
  { kind, namespace, name }: TargetRef,
): { readonly snapshot: Snapshot; readonly target: TargetRef } {
  const asked = {
    kind,
    scope: { ...(namespace !== undefined && { namespace }), name },
    state: 'partial',
    looked: 4711,
  } as const;
  const disguised = anonymize({ ...captured, observations: [...captured.observations, asked] }, 'key');
  const renamed = disguised.observations.find(({ looked }) => looked === 4711)?.scope;
  return {
    snapshot: { ...disguised, observations: disguised.observations.filter(({ looked }) => looked !== 4711) },
    target: { kind, ...renamed, name: renamed?.name ?? '' },
  };
}
