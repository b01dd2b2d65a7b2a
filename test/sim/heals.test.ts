import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
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
const patience = 240_000;

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
    namespace: targets[0]?.namespace,
    everywhere: targets.length === 0,
    selector: undefined,
    breadth: 'pending',
  });

const nameOf = ({ target }: ReportItem): string => `${target.kind} ${target.namespace ?? ''}/${target.name}`;
const firstFix = ({ findings }: ReportItem): Fix | undefined => findings.find(({ role }) => role === 'cause')?.fix[0];
/** Values that only a person knows; in the demo any will do. */
const inventions: Readonly<Record<string, string>> = {
  PLACEHOLDER_KEY: 'password',
  PLACEHOLDER_FILE: '/dev/null',
  PLACEHOLDER_DRIVER: 'disk.csi.example.com',
  PLACEHOLDER_HANDLE: 'vol-made-up',
  PLACEHOLDER_CPU: '1',
};
const printed = (fix: Fix | undefined): readonly string[] =>
  fix?.commands ?? (fix?.command === undefined ? [] : [fix.command]);
const commandsOf = (fix: Fix | undefined): readonly string[] =>
  printed(fix).map((command) => command.replace(/PLACEHOLDER_[A-Z]+/g, (word) => inventions[word] ?? word));
const isInvented = (fix: Fix | undefined): boolean => printed(fix).some((command) => command.includes('PLACEHOLDER_'));

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

interface State {
  /** `healthy`, `gone`, or a status with its cause. */
  readonly words: string;
  readonly item: ReportItem | undefined;
}

async function stateOf({ target }: ReportItem, source: ClusterSource): Promise<State> {
  const { report, notFound } = await ask(source, [target as TargetRef]);
  const [item] = report.items;
  if (item !== undefined) return { words: `${item.status} ${item.cause ?? ''}`.trim(), item };
  return { words: notFound.length > 0 ? 'gone' : 'unknown', item };
}

/** An object that only had to be deleted may be gone; everything else is to be healthy, or to wait for its first pod. */
function isHealed(state: string, commands: string): boolean {
  const isOnlyDeleted = /\bdelete\b/.test(commands) && !/\b(create|apply|replace)\b/.test(commands);
  return state === 'healthy' || state === 'waiting wffc-no-consumer' || (state === 'gone' && isOnlyDeleted);
}

/** Waits until the object is healed; otherwise the last state that it was seen in. */
async function settle(item: ReportItem, commands: string, source: ClusterSource): Promise<State> {
  let state: State = { words: 'unknown', item: undefined };
  for (let attempt = 0; attempt < 20; attempt += 1) {
    if (attempt > 0) await sleep(200);
    state = await stateOf(item, source);
    if (isHealed(state.words, commands)) break;
  }
  return state;
}

const stuck = isMissing
  ? []
  : await (async () => {
      const demo = await startDemo();
      const { report } = await ask(demo.source, []);
      await demo.close();
      return report.items.filter(({ status }) => status === 'blocked');
    })();
/** What became of each object whose first fix was run. */
const ends = new Map<string, string>();
const countOf = (end: string): number => [...ends.values()].filter((one) => one === end).length;
const left = stuck.flatMap((item) => {
  const reason = humanPart(firstFix(item));
  return reason === undefined ? [] : [`${nameOf(item)} (${item.cause ?? ''}): ${reason}`];
});

describe(`following the first printed fix in the demo${why}`, () => {
  afterAll(() => {
    if (isMissing) return;
    const kinds = [...new Set(ends.values())].sort();
    process.stderr.write(
      `${[
        `${stuck.length} objects are stuck. First fixes that were run: ${ends.size}, as printed unless it is said.`,
        ...kinds.map((end) => `${countOf(end)} ${end}`),
        ...left.map((line) => `not run: ${line}`),
      ].join('\n')}\n`,
    );
  });

  it.skipIf(isMissing)('there is something to heal', () => {
    expect(stuck.length).toBeGreaterThan(20);
    expect(stuck.length - left.length).toBeGreaterThan(5);
  });

  const runnable = stuck.filter((item) => humanPart(firstFix(item)) === undefined);
  const named = runnable.map((item) => [`${nameOf(item)}: ${item.cause ?? ''}`, item] as const);
  // Each has a demo of its own, and mostly waits for its controllers.
  it.concurrent.for(named)('%s', async ([, item], { onTestFinished }) => {
    const demo = await startDemo();
    onTestFinished(() => demo.close());
    const causes: string[] = [];
    let current: ReportItem = item;
    // Behind one fault there may be another: whoever follows the fixes comes to the next one.
    for (;;) {
      expect(causes, 'the same fault is back after its fix').not.toContain(current.cause);
      causes.push(current.cause ?? '');
      const needs = humanPart(firstFix(current));
      if (needs !== undefined) {
        ends.set(nameOf(item), `came from ${causes.join(' to ')}, where ${needs}`);
        return;
      }
      const commands = commandsOf(firstFix(current)).join('\n');
      const { output, isDone } = await demo.run(commands);
      expect(isDone, `${commands}\n${output}`).toBe(true);
      const state = await settle(item, commands, demo.source);
      if (isHealed(state.words, commands)) {
        const how = isInvented(firstFix(current)) ? ', with a made-up value' : '';
        ends.set(nameOf(item), `healed by ${causes.length} of them${how}: ${state.words}`);
        return;
      }
      expect(state.item, `${state.words}\n${commands}\n${output}`).toBeDefined();
      current = state.item ?? current;
    }
  });
});
