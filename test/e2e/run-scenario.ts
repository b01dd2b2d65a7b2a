import { setTimeout as sleep } from 'node:timers/promises';
import { askProgram, judge, show } from './answer.ts';
import type { Answer } from './answer.ts';
import type { Cluster } from './cluster/cluster.ts';
import { runCommand } from './cluster/command.ts';
import { saveTruth } from './dump.ts';
import type { FixResult } from './fix-result.ts';
import { Foresight } from './foresight.ts';
import type { Program } from './program.ts';
import { isCarriedOut, runFix } from './run-fix.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { World } from './scenarios/world.ts';

/** An answer that was wrong while it lasted, though the last one was right. */
interface EarlyAnswer {
  readonly said: string;
  /** Seconds after the break. */
  readonly from: number;
  until: number;
}

export interface Result {
  readonly scenario: Scenario;
  readonly seconds: number;
  /** What went wrong; nothing if it passed. */
  readonly problem?: string;
  readonly before: readonly EarlyAnswer[];
  readonly cause?: string;
  /** Whether preflight named the cause before anything was made. */
  readonly foretold?: boolean;
  /** What became of the first fix. */
  readonly fix?: FixResult;
}

/** A dump that is younger than the usual waits tells nothing without its events. */
const settledSeconds = 150;

export interface RunOptions {
  readonly program: Program;
  /** Where to save dumps of broken clusters. */
  readonly truth?: string;
  /** Where to save dumps of those that the program got wrong. */
  readonly failures: string;
  /** Whether to carry out the first fix that is printed. */
  readonly fixes: boolean;
}

export async function runScenario(scenario: Scenario, cluster: Cluster, options: RunOptions): Promise<Result> {
  const started = Date.now();
  const world = new World(cluster, `e2e-${scenario.name}`);
  const { kubeconfigs } = cluster.controlPlane;
  const before: EarlyAnswer[] = [];
  let cause: string | undefined;
  let foretold: boolean | undefined;
  let fix: FixResult | undefined;
  // One who may not look is told so, by why and by preflight alike.
  const foresight = scenario.user === undefined ? new Foresight(options.program, kubeconfigs.admin) : undefined;
  const result = (problem?: string): Result => ({
    scenario,
    seconds: Math.round((Date.now() - started) / 1000),
    before,
    ...(problem !== undefined && { problem }),
    ...(cause !== undefined && { cause }),
    ...(foretold !== undefined && { foretold }),
    ...(fix !== undefined && { fix }),
  });
  const save = (directory: string, told: Scenario): Promise<void> =>
    saveTruth(directory, told, world, kubeconfigs.admin);
  try {
    await world.open();
    if (foresight) world.beforeMaking = foresight.look;
    await scenario.break(world);
    world.beforeMaking = () => Promise.resolve();
    const brokenAt = Date.now();
    const ask = (command = scenario.command ?? 'why-pending'): Promise<Answer> =>
      askProgram(
        options.program,
        command,
        world.target ?? scenario.target,
        world.namespace,
        kubeconfigs[scenario.user ?? 'admin'],
      );
    const broken = await askUntil(ask, scenario.patience ?? 45, (answer, seconds) => {
      const problem = judge(scenario, answer);
      if (problem !== undefined && isMistake(scenario, answer)) remember(before, show(answer), seconds);
      return problem;
    });
    cause = broken.answer.cause;
    if (broken.problem !== undefined) {
      await save(options.failures, scenario);
      return result(`${broken.problem}\n    ${show(broken.answer)}`);
    }
    foretold = foresight?.foretells(scenario);
    const misjudged = foresight?.problemWith(scenario);
    if (misjudged !== undefined) return result(misjudged);
    const unfound = await judgeSearch(scenario, world, options.program, kubeconfigs.admin);
    if (unfound !== undefined) return result(unfound);
    if (options.truth !== undefined && scenario.user === undefined) {
      await sleep(Math.max(0, brokenAt + settledSeconds * 1000 - Date.now()));
      const settled = await ask();
      const problem = judge(scenario, settled);
      if (problem !== undefined) return result(`right at first, and then: ${problem}\n    ${show(settled)}`);
      await save(options.truth, scenario);
    }
    const silent = await judgeWithoutEvents(scenario, world, ask, options.truth !== undefined);
    if (silent !== undefined) {
      await save(options.failures, { ...scenario, name: `${scenario.name}-without-events` });
      return result(silent);
    }
    if (options.fixes && scenario.cause !== null && scenario.user === undefined) {
      const { program } = options;
      fix = await runFix({ scenario, world, program, kubeconfig: kubeconfigs.admin, ask: () => ask('why') });
      if (fix?.problem !== undefined) {
        await save(options.failures, { ...scenario, name: `${scenario.name}-fixed` });
        return result(`the first fix: ${fix.problem}`);
      }
      if (fix !== undefined && isCarriedOut(fix)) return result();
    }
    if (scenario.heal === undefined) return result();
    await scenario.heal(world);
    const healed = await askUntil(ask, 45, ({ exitCode, status }) =>
      exitCode === 0 && status === 'healthy' ? undefined : 'mended, and not called healthy',
    );
    if (healed.problem !== undefined) {
      await save(options.failures, {
        ...scenario,
        name: `${scenario.name}-mended`,
        status: 'healthy',
        cause: null,
        mustMention: [],
      });
      return result(`${healed.problem}\n    ${show(healed.answer)}`);
    }
    return result();
  } catch (error) {
    await save(options.failures, scenario).catch(() => {});
    return result(`the scenario itself failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await world.close().catch(() => {});
  }
}

/** A search must not say that nothing is stuck in a namespace where a question by name is answered with a blockage. */
async function judgeSearch(
  { status, user, target }: Scenario,
  world: World,
  program: Program,
  kubeconfig: string,
): Promise<string | undefined> {
  const [kind = ''] = (world.target ?? target).split('/');
  if (status !== 'blocked' || user !== undefined || !['pvc', 'pod', 'sts', 'vs'].includes(kind)) return undefined;
  const { code, output, errors } = await runCommand('kubectl', ['csi', 'why', '-n', world.namespace, '-o', 'json'], {
    environment: { KUBECONFIG: kubeconfig, PATH: program.path },
  });
  return code === 1
    ? undefined
    : `why -n ${world.namespace} ends with ${code}, not 1: ${errors || output.slice(0, 400)}`;
}

/** An answer that is not there yet only waits; one that is there and wrong is a mistake, even if it passes. */
function isMistake({ status, cause, meanwhile = [] }: Scenario, answer: Answer): boolean {
  if (answer.status === 'healthy') return status !== 'healthy';
  if (answer.status === 'waiting') return !['in-progress', ...meanwhile, cause].includes(answer.cause ?? '');
  return answer.status === 'blocked' && !meanwhile.includes(answer.cause ?? '');
}

function remember(before: EarlyAnswer[], said: string, seconds: number): void {
  const last = before.at(-1);
  if (last?.said === said) last.until = seconds;
  else before.push({ said, from: seconds, until: seconds });
}

/** Events expire after an hour; the verdict comes from object state, so it must stay when they are gone. */
async function judgeWithoutEvents(
  scenario: Scenario,
  world: World,
  ask: () => Promise<Answer>,
  isSettled: boolean,
): Promise<string | undefined> {
  const events = await world.forgetEvents();
  const answer = await ask();
  await world.recallEvents(events);
  // Nobody can know more than that of something so young.
  if (!isSettled && answer.cause === 'in-progress') return undefined;
  const problem = problemWithoutEvents(scenario, answer);
  return problem === undefined ? undefined : `without events: ${problem}\n    ${show(answer)}`;
}

function problemWithoutEvents(scenario: Scenario, answer: Answer): string | undefined {
  if (scenario.toldByEvents !== true) return judge({ ...scenario, mustMention: [] }, answer);
  return answer.status === 'healthy' && scenario.status !== 'healthy' ? 'called healthy' : undefined;
}

async function askUntil(
  ask: () => Promise<Answer>,
  seconds: number,
  fault: (answer: Answer, seconds: number) => string | undefined,
): Promise<{ readonly answer: Answer; readonly problem?: string }> {
  const start = Date.now();
  for (;;) {
    const answer = await ask();
    const problem = fault(answer, Math.round((Date.now() - start) / 1000));
    if (problem === undefined) return { answer };
    if (Date.now() > start + seconds * 1000) return { answer, problem };
    await sleep(3000);
  }
}
