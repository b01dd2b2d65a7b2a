import { UserError } from '../../core/kube/errors.ts';
import { parseFieldSelector } from '../../core/kube/field-path.ts';
import { resourceOf } from '../../core/kube/resources.ts';
import type { RowDetail, RowQuestion } from '../../core/report/rows.ts';
import { surveyRows } from '../../core/survey/rows/survey-rows.ts';
import type { RowsSurvey } from '../../core/survey/rows/survey-rows.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { detailOf, parseFormat } from './format.ts';
import { parseQuestions } from './questions.ts';
import type { NamedKind } from './questions.ts';
import { renderAnswers } from './output.ts';
import type { GetLook } from './output.ts';
import { judgeRows, warn } from './verdict.ts';
import { openSource, refuseSourceContradictions } from '../../cli/open-source.ts';
import type { ClusterSource, ConnectionValues, SourceValues } from '../../cli/open-source.ts';
import { print } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';

export interface GetFlags extends SourceValues, ConnectionValues {
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
  const source = await openSource(flags);
  const questions = kinds.map((kind): RowQuestion => ({
    ...kind,
    ...namespaceOf(kind, flags, source),
    ...(flags.selector && { labelSelector: flags.selector }),
    ...(fieldSelector && { fieldSelector }),
  }));
  const detail = detailOf(format, flags['sort-by']);
  const look: GetLook = {
    format,
    color: flags.color,
    sortBy: flags['sort-by'],
    withHeaders: !flags['no-headers'],
    withLabels: flags['show-labels'],
    everywhere: flags['all-namespaces'],
  };
  try {
    if (flags.watch) {
      const { watchRows } = await import('./watch.ts');
      return await watchRows(source, questions, look, () => readRows(source, questions, detail));
    }
    const survey = await withProgress(`reading ${source.name}`, () => readRows(source, questions, detail));
    const { error, exitCode, warnings } = judgeRows(survey, questions);
    if (error === undefined || survey.answers.some(({ rows }) => rows.length > 0))
      await print(await renderAnswers(survey, questions, look));
    await warn(survey, warnings, look);
    if (error !== undefined) throw error;
    return exitCode;
  } finally {
    await source.close();
  }
}

function readRows(source: ClusterSource, questions: readonly RowQuestion[], detail: RowDetail): Promise<RowsSurvey> {
  return source.answer((snapshot) => surveyRows(snapshot, questions, detail));
}

/** Where free space is published is the driver's own affair: it is looked for everywhere unless a namespace is named. */
function namespaceOf({ kind }: NamedKind, flags: GetFlags, source: ClusterSource): { readonly namespace?: string } {
  const usual = kind === 'CSIStorageCapacity' ? undefined : source.namespace;
  const namespace = flags['all-namespaces'] ? undefined : flags.namespace || usual;
  return resourceOf(kind).namespaced && namespace !== undefined ? { namespace } : {};
}

function refuseContradictions(kinds: readonly NamedKind[], flags: GetFlags): void {
  refuseSourceContradictions(flags, flags.watch);
  const isNamed = kinds.some(({ names }) => names.length > 0);
  const isPlaced = kinds.some(({ kind, names }) => names.length > 0 && resourceOf(kind).namespaced);
  if (isPlaced && flags['all-namespaces'])
    throw new UserError('a name cannot be looked up in all namespaces', 'leave -A out, or name the namespace with -n');
  if (isNamed && (flags.selector || flags['field-selector']))
    throw new UserError('a name and a selector exclude each other', 'leave the selector or the name out');
  if (flags.watch && kinds.length > 1)
    throw new UserError('only one type can be watched at a time', 'leave -w out, or name one type');
}
