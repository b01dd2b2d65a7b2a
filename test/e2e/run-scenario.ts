import { setTimeout as sleep } from 'node:timers/promises';
import { askProgram, judge, show } from './answer.ts';
import type { Answer } from './answer.ts';
import type { Cluster } from './cluster/cluster.ts';
import { saveTruth } from './dump.ts';
import type { Program } from './program.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { World } from './scenarios/world.ts';

export interface Result {
  readonly scenario: Scenario;
  readonly seconds: number;
  /** What went wrong; nothing if it passed. */
  readonly problem?: string;
  /** Verdicts that were wrong while they lasted, though the last one was right. */
  readonly before: readonly string[];
  readonly cause?: string;
}

export interface RunOptions {
  readonly program: Program;
  /** Where to save dumps of broken clusters. */
  readonly truth?: string;
  /** Where to save dumps of those that the program got wrong. */
  readonly failures: string;
}

export async function runScenario(scenario: Scenario, cluster: Cluster, options: RunOptions): Promise<Result> {
  const started = Date.now();
  const world = new World(cluster, `e2e-${scenario.name}`);
  const { kubeconfigs } = cluster.controlPlane;
  const before: string[] = [];
  let cause: string | undefined;
  const result = (problem?: string): Result => ({ scenario, seconds: Math.round((Date.now() - started) / 1000), before, ...(problem !== undefined && { problem }), ...(cause !== undefined && { cause }) });
  try {
    await world.open();
    await scenario.break(world);
    const ask = (): Promise<Answer> => askProgram(options.program, scenario.command ?? 'why-pending', world.target ?? scenario.target, world.namespace, kubeconfigs[scenario.user ?? 'admin']);
    const broken = await askUntil(ask, scenario.patience ?? 45, (answer) => {
      const problem = judge(scenario, answer);
      // An answer that is not there yet waits; one that is there and wrong is a mistake even if it passes.
      if (problem !== undefined && answer.status === 'blocked') before.push(`${problem} (${show(answer)})`);
      return problem;
    });
    cause = broken.answer.cause;
    if (broken.problem !== undefined) {
      await saveTruth(options.failures, scenario, world.target ?? scenario.target, world.namespace, kubeconfigs.admin);
      return result(`${broken.problem}\n    ${show(broken.answer)}`);
    }
    if (options.truth !== undefined && scenario.user === undefined) await saveTruth(options.truth, scenario, world.target ?? scenario.target, world.namespace, kubeconfigs.admin);
    if (scenario.heal === undefined) return result();
    await scenario.heal(world);
    const healed = await askUntil(ask, 45, ({ exitCode, status }) => (exitCode === 0 && status === 'healthy' ? undefined : 'mended, and not called healthy'));
    if (healed.problem !== undefined) {
      await saveTruth(options.failures, { ...scenario, name: `${scenario.name}-mended`, status: 'healthy', statusAlso: [], causes: [], mustMention: [] }, world.target ?? scenario.target, world.namespace, kubeconfigs.admin);
      return result(`${healed.problem}\n    ${show(healed.answer)}`);
    }
    return result();
  } catch (error) {
    await saveTruth(options.failures, scenario, world.target ?? scenario.target, world.namespace, kubeconfigs.admin).catch(() => {});
    return result(`the scenario itself failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await world.close().catch(() => {});
  }
}

async function askUntil(ask: () => Promise<Answer>, seconds: number, fault: (answer: Answer) => string | undefined): Promise<{ readonly answer: Answer; readonly problem?: string }> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    const problem = fault(answer);
    if (problem === undefined) return { answer };
    if (Date.now() > end) return { answer, problem };
    await sleep(3000);
  }
}
