import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FixOutcome } from '../../src/core/report/report.ts';
import { show } from './answer.ts';
import type { Answer } from './answer.ts';
import { runCommand } from './cluster/command.ts';
import type { Outcome } from './cluster/command.ts';
import type { FixResult, How } from './fix-result.ts';
import { fillPlaceholders, firstFixOf, onlyLooks, opensEditor } from './printed-fix.ts';
import type { PrintedFix } from './printed-fix.ts';
import type { Program } from './program.ts';
import type { FixPlan, OtherOutcome, Scenario } from './scenarios/scenario.ts';
import type { World } from './scenarios/world.ts';
import { isAtWork, isGone } from './target-state.ts';

/** How long a target may take to get healthy: the kubelet and the attach-detach controller wait up to two minutes between tries. */
const usualPatience = 200;
const secondsBetweenAnswers = 5;
/** A printed command that has not ended by then hangs. */
const commandSeconds = 150;

export interface FixContext {
  readonly scenario: Scenario;
  readonly world: World;
  readonly program: Program;
  readonly kubeconfig: string;
  /** `kubectl csi why TARGET -o json` */
  readonly ask: () => Promise<Answer>;
}

/**
 * Carries out the first fix that the program prints, and asks the program every five seconds until the target is healthy.
 * Nothing where there is nothing to fix: what waits as expected needs no fix.
 */
export async function runFix(context: FixContext): Promise<FixResult | undefined> {
  const { scenario } = context;
  const plan = scenario.fix ?? {};
  const broken = await askWhileBroken(context);
  const printed = broken.item && firstFixOf(broken.item);
  const base = { scenario: scenario.name, cause: broken.cause ?? '', fix: printed?.text ?? '' };
  if (broken.cause !== scenario.cause)
    return { ...base, how: 'not run', problem: `why names another cause: ${show(broken)}` };
  if (printed === undefined && scenario.status === 'waiting') return undefined;
  if (plan.skip !== undefined) return { ...base, how: 'not run', reason: plan.skip };
  if (printed === undefined) return { ...base, how: 'weak', reason: 'no fix is printed' };
  const repaired = await repair(context, plan, printed);
  const result = { ...base, how: repaired.how, ...(repaired.reason !== undefined && { reason: repaired.reason }) };
  if (repaired.problem !== undefined) return { ...result, problem: repaired.problem };
  if (repaired.how === 'weak') return result;
  return { ...result, ...(await watch(context, plan, printed.after)) };
}

/** Events that were forgotten and recalled may be young again, so the cause is given time to show. */
async function askWhileBroken({ scenario, ask }: FixContext): Promise<Answer> {
  const end = Date.now() + (scenario.patience ?? 45) * 1000;
  for (;;) {
    const answer = await ask();
    if (answer.cause === scenario.cause || Date.now() > end) return answer;
    await sleep(3000);
  }
}

/** Whether a result means that the target was repaired. */
export function isCarriedOut({ how, problem }: FixResult): boolean {
  return problem === undefined && how !== 'weak' && how !== 'not run';
}

interface Repair {
  readonly how: How;
  readonly reason?: string;
  readonly problem?: string;
}

async function repair(context: FixContext, plan: FixPlan, { commands: printed }: PrintedFix): Promise<Repair> {
  const { world } = context;
  if (plan.instead) {
    await plan.instead.play(world);
    return { how: 'played', reason: plan.instead.reason };
  }
  const { human } = plan;
  if (printed.length === 0) {
    if (human?.acts === undefined) return { how: 'weak', reason: 'the fix has no command' };
    await human.acts(world);
    return { how: 'person', reason: human.knows };
  }
  const { commands, unfilled, filled } = fillPlaceholders(printed, human?.values?.(world) ?? {});
  if (unfilled.length > 0) return { how: 'weak', reason: `nothing supplies ${unfilled.join(', ')}` };
  if (commands.some(opensEditor)) return { how: 'weak', reason: 'the fix opens an editor' };
  const problem = await runCommands(context, commands, human?.files ?? {});
  const looks = commands.every(onlyLooks);
  if (problem !== undefined) return { how: looks ? 'weak' : 'executed', problem };
  if (looks && human?.acts === undefined) return { how: 'weak', reason: 'the commands only look' };
  await human?.acts?.(world);
  if (filled === 0 && human?.acts === undefined) return { how: 'executed' };
  return { how: 'human', ...(human && { reason: human.knows }) };
}

/** Runs the commands one after the other in a directory of their own. What is wrong with one of them; nothing if all worked. */
async function runCommands(
  { scenario, world, program, kubeconfig }: FixContext,
  commands: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const parent = join(world.cluster.directory, 'fixes');
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, `${scenario.name}-`));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  const environment = {
    KUBECONFIG: kubeconfig,
    PATH: program.path,
    KUBECACHEDIR: join(world.cluster.directory, 'kubectl-cache'),
  };
  for (const command of commands) {
    const outcome = await runCommand('bash', ['-c', command], { environment, directory, seconds: commandSeconds });
    const problem = problemOf(command, outcome);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(command: string, { code, output, errors }: Outcome): string | undefined {
  // What only looks ends with another code where it finds nothing, or something wrong: grep with 1, the program with 1 or 3.
  if (code === 0 || ([1, 3].includes(code) && onlyLooks(command) && !/error|unknown|invalid/i.test(errors)))
    return undefined;
  const said = (errors || output).trim();
  return code === -1 ? `hangs: ${command}: ${said}` : `ends with ${code}: ${command}: ${said}`;
}

type Watched = Pick<FixResult, 'healedAfter' | 'reached' | 'predicted' | 'lingered' | 'lingers' | 'problem'>;

async function watch(context: FixContext, plan: FixPlan, after: FixOutcome | undefined): Promise<Watched> {
  const { scenario, ask } = context;
  const expected = plan.reaches ?? outcomeToReach(after);
  const start = Date.now();
  const end = start + (plan.patience ?? usualPatience) * 1000;
  let lingered: Lingering | undefined;
  for (;;) {
    const askedAt = Date.now();
    const seconds = Math.round((askedAt - start) / 1000);
    const answer = await ask();
    const reached = await stateReached(answer, expected, context);
    if (reached !== undefined) {
      const problem = await contradiction(context, reached);
      return {
        healedAfter: seconds,
        reached,
        ...(after && { predicted: isAsPredicted(after, reached, answer) }),
        ...lingering(lingered, plan),
        ...(problem !== undefined && { problem }),
      };
    }
    if (answer.status === 'blocked' && answer.cause === scenario.cause) lingered = { seconds, said: show(answer) };
    if (Date.now() > end)
      return {
        ...lingering(lingered, plan),
        ...(after && { predicted: false }),
        problem: `not healed after ${seconds} s: ${show(answer)}`,
      };
    await sleep(Math.max(0, askedAt + secondsBetweenAnswers * 1000 - Date.now()));
  }
}

/** The last answer that named the old cause. */
interface Lingering {
  readonly seconds: number;
  readonly said: string;
}

/** The old cause after the repair is a mistake, unless the scenario says why nobody can know better yet. */
function lingering(lingered: Lingering | undefined, { lingers }: FixPlan): Watched {
  if (lingered === undefined) return {};
  const { seconds, said } = lingered;
  if (lingers !== undefined) return { lingered: seconds, lingers };
  return { lingered: seconds, problem: `the old cause was still reported ${seconds} s after the fix: ${said}` };
}

/** A prediction other than healthy is what the fix is for. */
function outcomeToReach(after: FixOutcome | undefined): OtherOutcome | undefined {
  if (after === undefined) return undefined;
  if (after.summary.endsWith('is gone.')) return { status: 'gone', why: after.summary };
  if (after.status === 'healthy') return undefined;
  return { status: after.status, ...(after.cause !== undefined && { cause: after.cause }), why: after.summary };
}

async function stateReached(
  answer: Answer,
  expected: OtherOutcome | undefined,
  { world, scenario }: FixContext,
): Promise<string | undefined> {
  if (expected?.status === 'gone') return (await isGone(world, world.target ?? scenario.target)) ? 'gone' : undefined;
  if (answer.exitCode === 0 && answer.status === 'healthy') return 'healthy';
  if (expected === undefined || answer.status !== expected.status) return undefined;
  if (expected.cause !== undefined && answer.cause !== expected.cause) return undefined;
  return [answer.status, answer.cause].join(' ').trim();
}

export function isAsPredicted(after: FixOutcome, reached: string, { cause }: Pick<Answer, 'cause'>): boolean {
  if (after.status === 'healthy') return reached === 'healthy' || reached === 'gone';
  return reached.split(' ')[0] === after.status && (after.cause === undefined || after.cause === cause);
}

/** The program's word is checked against the object itself. */
async function contradiction({ world, scenario }: FixContext, reached: string): Promise<string | undefined> {
  if (reached !== 'healthy') return undefined;
  const target = world.target ?? scenario.target;
  for (let tries = 0; tries < 6; tries += 1) {
    if (await isAtWork(world, target)) return undefined;
    await sleep(5000);
  }
  return `called healthy, but ${target} is not at work`;
}
