import { commandsOf } from '../../src/core/report/fix-commands.ts';
import type { Report, ReportItem } from '../../src/core/report/report.ts';
import { runCommand } from './cluster/command.ts';
import type { Program } from './program.ts';
import type { Scenario, Status } from './scenarios/scenario.ts';

/** What the program said of one target. */
export interface Answer {
  readonly exitCode: number;
  readonly status?: string;
  readonly cause?: string;
  readonly summary?: string;
  readonly unread: number;
  /** Everything it said, to look for words in. */
  readonly text: string;
  readonly item?: ReportItem;
}

/** Asks as a user does: kubectl finds the plugin on the PATH. */
export async function askProgram(
  { path }: Program,
  command: string,
  target: string,
  namespace: string,
  kubeconfig: string,
): Promise<Answer> {
  const { code, output, errors } = await runCommand(
    'kubectl',
    ['csi', command, target, '-n', namespace, '-o', 'json'],
    { environment: { KUBECONFIG: kubeconfig, PATH: path } },
  );
  let report: Report | undefined;
  try {
    report = JSON.parse(output) as Report;
  } catch {
    /* No report: the errors are the answer. */
  }
  const item = report?.items[0];
  return {
    exitCode: code,
    unread: item?.unread.length ?? 0,
    text: item === undefined ? `${output}${errors}` : JSON.stringify(item),
    ...(item !== undefined && {
      item,
      status: item.status,
      summary: item.summary,
      ...(item.cause !== undefined && { cause: item.cause }),
    }),
  };
}

const exitCodes: Readonly<Record<Status, number>> = { blocked: 1, waiting: 0, healthy: 0, unknown: 3 };

/** What is wrong with an answer; nothing if it is right. */
export function judge(scenario: Scenario, answer: Answer): string | undefined {
  const allowed = scenario.exitCodes ?? [exitCodes[scenario.status]];
  if (!allowed.includes(answer.exitCode)) return `exit code ${answer.exitCode}, not ${allowed.join(' or ')}`;
  // A program that could not run at all has no report to judge.
  if (answer.status === undefined)
    return answer.exitCode === 4 && scenario.exitCodes?.includes(4) === true ? undefined : 'there is no report';
  if (answer.status !== scenario.status) return `status ${answer.status}, not ${scenario.status}`;
  if (answer.status === 'blocked' || answer.status === 'waiting') {
    if (answer.cause !== scenario.cause) return `cause ${answer.cause ?? 'none'}, not ${scenario.cause ?? 'none'}`;
  }
  if (answer.status === 'unknown' && answer.unread === 0) return 'unknown, and yet nothing is said to be unread';
  const repeated = repeatedStep(answer);
  if (repeated !== undefined) return `two steps run the same: ${repeated}`;
  const missing = (scenario.mustMention ?? []).find((word) => !answer.text.includes(word));
  return missing === undefined ? undefined : `it does not mention ${missing}`;
}

/** A reader who has tried a step in vain is not sent to try it again. */
function repeatedStep({ item }: Answer): string | undefined {
  const fixes = item?.findings.find(({ role }) => role === 'cause')?.fix ?? [];
  const steps = fixes.map((fix) => commandsOf(fix).join('\n') || fix.text);
  return steps.find((step, index) => steps.indexOf(step) !== index);
}

export function show({ exitCode, status, cause, summary, text }: Answer): string {
  return status === undefined
    ? `exit ${exitCode}: ${text.trim()}`
    : `exit ${exitCode}, ${status}${cause === undefined ? '' : ` ${cause}`}: ${summary}`;
}
