import { endOfSource } from '../../cli/chosen-cluster.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import { mayAskSeveral } from '../../cli/contexts/contexts-flags.ts';
import type { ContextsValues } from '../../cli/contexts/contexts-flags.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { openSource } from '../../cli/open-source.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import { readRows } from '../../cli/read/read-rows.ts';
import { refuseSourceContradictions } from '../../cli/source-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { UserError } from '../../core/kube/errors.ts';
import { parseFieldSelector } from '../../core/kube/field-path.ts';
import type { FieldSelector } from '../../core/kube/field-path.ts';
import { resourceOf } from '../../core/kube/resources.ts';
import type { RowDetail, RowQuestion } from '../../core/report/rows.ts';
import type { RowsSurvey } from '../../core/survey/rows/survey-rows.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { detailOf, parseFormat } from './format.ts';
import type { GetFormat } from './format.ts';
import type { GetLook } from './output.ts';
import { parseQuestions, placeOf } from './questions.ts';
import type { NamedKind } from './questions.ts';
import { warn } from './run/warn.ts';
import { judgeRows } from './verdict.ts';

export interface GetFlags extends SourceValues, ConnectionValues, ContextsValues {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly selector?: string | undefined;
  readonly 'field-selector'?: string | undefined;
  readonly 'sort-by'?: string | undefined;
  readonly 'no-headers': boolean;
  readonly 'show-labels': boolean;
  readonly output: string;
  readonly watch: boolean;
  readonly color: string;
}

/** `get` from its words and flags to its exit code. */
export async function runGet(words: readonly string[], flags: GetFlags): Promise<ExitCode> {
  const format = await parseFormat(flags.output);
  const kinds = await parseQuestions(words);
  refuseContradictions(kinds, flags);
  const fieldSelector = flags['field-selector'] ? parseFieldSelector(flags['field-selector']) : undefined;
  const asked: Asked = { kinds, format, detail: detailOf(format, flags['sort-by']), fieldSelector };
  const look: GetLook = {
    format,
    screen: stdoutScreen(flags.color),
    sortBy: flags['sort-by'],
    withHeaders: !flags['no-headers'],
    withLabels: flags['show-labels'],
    everywhere: flags['all-namespaces'],
  };
  if (mayAskSeveral(flags)) {
    const { getFromSeveral } = await import('./run/several.ts');
    const exitCode = await getFromSeveral(flags, asked, look);
    if (exitCode !== undefined) return exitCode;
  }
  const source = await openSource(flags);
  const questions = questionsOf(asked, flags, source);
  const read = (): Promise<RowsSurvey> => readRows(source, questions, asked.detail);
  const tell = (survey: RowsSurvey, warnings: readonly string[]): Promise<void> =>
    warn(survey, warnings, { color: flags.color, isWide: format.type === 'wide', endOf: endOfSource(flags) });
  try {
    if (flags.watch) {
      const { watchRows } = await import('./run/watch.ts');
      return await watchRows(source, questions[0] as RowQuestion, look, { read, onFirst: tell });
    }
    const survey = await withProgress(`reading ${source.name}`, read);
    return await printRows(survey, questions, look, tell);
  } finally {
    await source.close();
  }
}

/** What is asked of every cluster. */
export interface Asked {
  readonly kinds: readonly NamedKind[];
  readonly format: GetFormat;
  readonly detail: RowDetail;
  readonly fieldSelector: FieldSelector | undefined;
}

export function questionsOf({ kinds, fieldSelector }: Asked, flags: GetFlags, source: ClusterSource): RowQuestion[] {
  return kinds.map((kind) => ({
    ...kind,
    ...placeOf(kind, {
      everywhere: flags['all-namespaces'],
      namespace: flags.namespace,
      usual: source.namespace,
    }),
    ...(flags.selector && { labelSelector: flags.selector }),
    ...(fieldSelector && { fieldSelector }),
  }));
}

async function printRows(
  survey: RowsSurvey,
  questions: readonly RowQuestion[],
  look: GetLook,
  tell: (survey: RowsSurvey, warnings: readonly string[]) => Promise<void>,
): Promise<ExitCode> {
  const { error, exitCode, warnings } = judgeRows(survey, questions);
  if (error === undefined || survey.answers.some(({ rows }) => rows.length > 0)) {
    const { renderAnswers } = await import('./output.ts');
    await print(await renderAnswers(survey, questions, look));
  }
  await tell(survey, warnings);
  if (error !== undefined) throw error;
  return exitCode;
}

function refuseContradictions(kinds: readonly NamedKind[], flags: GetFlags): void {
  refuseSourceContradictions(flags, flags.watch);
  const isNamed = kinds.some(({ names }) => names.length > 0);
  const isPlaced = kinds.some(({ kind, names }) => names.length > 0 && resourceOf(kind).namespaced);
  if (isPlaced && flags['all-namespaces'])
    throw new UserError('a name cannot be combined with -A', 'Remove -A, or choose the namespace with -n');
  if (isNamed && (flags.selector || flags['field-selector']))
    throw new UserError('a name cannot be combined with a selector', 'Remove the selector or the name');
  if (flags.watch && kinds.length > 1)
    throw new UserError('-w works with one type only', 'Remove -w, or choose one type');
}
