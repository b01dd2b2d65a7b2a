import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSource } from '../../src/cli/open-source.ts';
import type { ClusterSource } from '../../src/cli/open-source.ts';
import type { Diagnosis } from '../../src/core/engine/diagnose.ts';
import type { TargetRef } from '../../src/core/kube/selection.ts';
import type { Fix, ReportItem } from '../../src/core/report/report.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import { demoBackend } from '../../src/sim/demo/demo-backend.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../../src/sim/kubeconfig.ts';

const isMissing = spawnSync('kubectl', ['version', '--client']).status !== 0;
const why = isMissing ? ' (skipped: kubectl is not on the PATH)' : '';
const patience = 120_000;

interface Demo {
  readonly source: ClusterSource;
  /** Runs lines in a shell, as a person would; what they print, and how they ended. */
  readonly run: (lines: string) => Promise<{ readonly output: string; readonly isDone: boolean }>;
  readonly close: () => Promise<void>;
}

async function startDemo(): Promise<Demo> {
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
  const controllers = { backend: demoBackend, stepMs: 10 };
  const server = await startApiServer(demoSnapshot(new Date()), { controllers });
  const kubeconfig = join(directory, 'kubeconfig');
  await writeKubeconfig(kubeconfig, server.url);
  const source = await openSource({ kubeconfig });
  const env = { ...process.env, HOME: directory, KUBECONFIG: kubeconfig };
  return {
    source,
    run: (lines) =>
      new Promise((resolve) => {
        execFile('sh', ['-e', '-c', lines], { env, cwd: directory, timeout: patience / 2 }, (error, stdout, stderr) =>
          resolve({ output: stdout + stderr, isDone: error === null }),
        );
      }),
    close: async () => {
      await source.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const ask = (source: ClusterSource, targets: readonly TargetRef[]): Promise<Diagnosis> =>
  source.diagnose({
    targets,
    namespace: undefined,
    everywhere: targets.length === 0,
    selector: undefined,
    breadth: 'pending',
  });

const nameOf = ({ target }: ReportItem): string => `${target.kind} ${target.namespace ?? ''}/${target.name}`;
const firstFix = ({ findings }: ReportItem): Fix | undefined => findings.find(({ role }) => role === 'cause')?.fix[0];
const commandsOf = (fix: Fix | undefined): readonly string[] =>
  fix?.commands ?? (fix?.command === undefined ? [] : [fix.command]);

/** Why nobody but a person can follow a fix; undefined if a shell can. */
function humanPart(fix: Fix | undefined): string | undefined {
  const commands = commandsOf(fix);
  if (fix === undefined) return 'there is no fix';
  if (commands.length === 0) return `it has no command: ${fix.text}`;
  if (commands.some((command) => /PLACEHOLDER/.test(command)))
    return `a person has to fill in a value: ${commands.join(' ; ')}`;
  const changes =
    /\bkubectl\b.*\b(create|apply|replace|patch|scale|annotate|label|taint|uncordon|cordon|drain|delete|rollout|set|edit)\b/;
  if (commands.some((command) => /\bkubectl\b.* edit\b/.test(command))) return 'it opens an editor';
  if (!commands.some((command) => changes.test(command))) return `it only looks: ${commands.join(' ; ')}`;
  return undefined;
}

async function stateOf({ target }: ReportItem, source: ClusterSource): Promise<string> {
  const { report, notFound } = await ask(source, [target as TargetRef]);
  const [item] = report.items;
  if (item !== undefined) return `${item.status} ${item.cause ?? ''}`.trim();
  return notFound.length > 0 ? 'gone' : 'unknown';
}

/** An object that only had to be deleted may be gone; everything else is to be healthy, or to wait for its first pod. */
function isHealed(state: string, commands: string): boolean {
  const isOnlyDeleted = /\bdelete\b/.test(commands) && !/\b(create|apply|replace)\b/.test(commands);
  return state === 'healthy' || state === 'waiting wffc-no-consumer' || (state === 'gone' && isOnlyDeleted);
}

const stuck = isMissing
  ? []
  : await (async () => {
      const demo = await startDemo();
      const { report } = await ask(demo.source, []);
      await demo.close();
      return report.items.filter(({ status }) => status === 'blocked');
    })();
const tried: string[] = [];
const healed: string[] = [];
/** How many are healthy, wait for their first pod, or are gone as they were to be. */
const ends = new Map<string, number>();
const left = stuck.flatMap((item) => {
  const reason = humanPart(firstFix(item));
  return reason === undefined ? [] : [`${nameOf(item)} (${item.cause ?? ''}): ${reason}`];
});

describe(`following the first printed fix in the demo${why}`, { timeout: patience }, () => {
  afterAll(() => {
    if (isMissing) return;
    console.log(
      [
        `${stuck.length} objects are stuck; ${tried.length} first fixes were run as printed, and ${healed.length} healed (${[...ends].map(([state, count]) => `${count} ${state}`).join(', ')}).`,
        ...left.map((line) => `not run: ${line}`),
      ].join('\n'),
    );
  });

  it.skipIf(isMissing)('there is something to heal', () => {
    expect(stuck.length).toBeGreaterThan(20);
    expect(stuck.length - left.length).toBeGreaterThan(5);
  });

  const runnable = stuck.filter((item) => humanPart(firstFix(item)) === undefined);
  it.for(runnable.map((item) => [`${nameOf(item)}: ${item.cause ?? ''}`, item] as const))('%s', async ([, item]) => {
    const demo = await startDemo();
    onTestFinished(() => demo.close());
    tried.push(nameOf(item));
    const commands = commandsOf(firstFix(item)).join('\n');
    const { output, isDone } = await demo.run(commands);
    expect(isDone, `${commands}\n${output}`).toBe(true);
    let state = '';
    for (let attempt = 0; attempt < 60 && !isHealed(state, commands); attempt += 1) {
      if (attempt > 0) await sleep(250);
      state = await stateOf(item, demo.source);
    }
    expect(isHealed(state, commands), `${state}\n${commands}\n${output}`).toBe(true);
    ends.set(state, (ends.get(state) ?? 0) + 1);
    healed.push(nameOf(item));
  });
});
