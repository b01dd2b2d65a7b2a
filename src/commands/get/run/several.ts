import { openSeveral, refuseNoAnswer } from '../../../cli/contexts/open-several.ts';
import type { OwnAnswer } from '../../../cli/contexts/open-several.ts';
import { exitCodes } from '../../../cli/exit-codes.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import type { ClusterSource } from '../../../cli/open-source.ts';
import { readRows } from '../../../cli/read/read-rows.ts';
import { EnvironmentError } from '../../../core/kube/errors.ts';
import { asSentence } from '../../../core/kube/sentence.ts';
import { resourceOf } from '../../../core/kube/resources.ts';
import type { RowQuestion } from '../../../core/report/rows.ts';
import type { ContextAnswer } from '../../../core/survey/contexts/context-answer.ts';
import { mergeRows } from '../../../core/survey/contexts/merge-rows.ts';
import { unreadJoins } from '../../../core/survey/rows/row-list.ts';
import type { RowsSurvey } from '../../../core/survey/rows/survey-rows.ts';
import { complain, print, screenOf } from '../../../terminal/output.ts';
import { createScreen } from '../../../terminal/screen.ts';
import type { EndOf } from '../../../terminal/screen.ts';
import { sanitiseReport } from '../../../terminal/sanitise.ts';
import { isWholeCluster, renderContexts } from '../../../terminal/verdict/contexts.ts';
import { renderAnswers } from '../output.ts';
import type { GetLook } from '../output.ts';
import { questionsOf } from '../run.ts';
import type { Asked, GetFlags } from '../run.ts';
import { isRefused, judgeRows } from '../verdict.ts';
import { warn } from './warn.ts';

/** The rows of one cluster, and how `get` would end for it alone. */
interface OwnRows {
  readonly survey: RowsSurvey;
  readonly isOpen: boolean;
  readonly warnings: readonly string[];
}

/** `get` from several clusters; undefined if the flags name one after all. */
export async function getFromSeveral(flags: GetFlags, asked: Asked, look: GetLook): Promise<ExitCode | undefined> {
  const isEverywhere = flags['all-namespaces'] || (flags.namespace ?? '') !== '';
  const isNamespaced = asked.kinds.some(({ kind }) => resourceOf(kind).namespaced);
  const several = await openSeveral(flags, isEverywhere || !isNamespaced);
  if (several === undefined) return undefined;
  const answers = await several.ask((source) => getOne(source, flags, asked));
  await refuseNoAnswer(answers, several.isDump);
  const questions = asked.kinds.map((kind): RowQuestion => ({ ...kind, ...placeOf(flags) }));
  const survey = mergeRows(answers.map(surveyOf), questions, several);
  await print(await renderAnswers(survey, questions, look));
  await sayContexts(answers, survey, look, { color: flags.color, endOf: several.endOf });
  const isOpen = answers.some(
    (answer) => answer.type === 'unread' || (answer.type === 'read' && answer.document.isOpen),
  );
  return isOpen ? exitCodes.inconclusive : exitCodes.ok;
}

/** Without -n, the namespace is another one in each cluster, and belongs into the table. */
function placeOf(flags: GetFlags): { readonly namespace?: string } {
  return flags.namespace && !flags['all-namespaces'] ? { namespace: flags.namespace } : {};
}

async function getOne(source: ClusterSource, flags: GetFlags, asked: Asked): Promise<OwnAnswer<OwnRows>> {
  const questions = questionsOf(asked, flags, source);
  const survey = await readRows(source, questions, asked.detail);
  const { error, exitCode, warnings } = judgeRows(survey, questions);
  const hasRows = survey.answers.some(({ rows }) => rows.length > 0);
  // A refusal in a cluster of which nothing was read is reported as for a cluster that could not be read.
  if (error !== undefined && !hasRows) throw error;
  const isOpen = exitCode !== exitCodes.ok || error instanceof EnvironmentError;
  return {
    document: { survey: withoutSnapshot(survey, asked, flags), isOpen, warnings },
    ...(error !== undefined && { message: asSentence(error.message) }),
  };
}

/** Only the user's own columns read the objects: otherwise they are not kept while other clusters are read. */
function withoutSnapshot(survey: RowsSurvey, { format }: Asked, flags: GetFlags): RowsSurvey {
  if (format.type === 'custom-columns' || flags['sort-by'] !== undefined) return survey;
  const existing = new Map(
    survey.answers.flatMap(({ kind, rows }) =>
      rows.flatMap((row) => {
        const object = survey.objectOf(kind, row);
        const { namespace, name } = row;
        return object === undefined
          ? []
          : [[`${kind}|${namespace ?? ''}|${name}`, { kind: object.kind, metadata: { name } }] as const];
      }),
    ),
  );
  return {
    ...survey,
    objectOf: (kind, { namespace, name }) => existing.get(`${kind}|${namespace ?? ''}|${name}`),
  };
}

function surveyOf(answer: ContextAnswer<OwnRows>): ContextAnswer<RowsSurvey> {
  return answer.type === 'read' ? { ...answer, document: answer.document.survey } : answer;
}

/** On standard error: the clusters that were not read, and those in which nothing exists. */
async function sayContexts(
  answers: readonly ContextAnswer<OwnRows>[],
  survey: RowsSurvey,
  { format }: GetLook,
  { color, endOf }: { readonly color: string; readonly endOf: EndOf },
): Promise<void> {
  const known = {
    ...survey,
    answers: survey.answers.map((answer) => ({
      ...answer,
      unreadKind: answer.unreadKind.filter((entry) => !isWholeCluster(entry)),
    })),
  };
  const empty = Map.groupBy(
    answers.flatMap((answer) =>
      answer.type === 'read' ? answer.document.warnings.map((text) => ({ text, context: answer.context })) : [],
    ),
    ({ text }) => text,
  );
  const warnings = [...empty].map(([text, own]) => `${own.map(({ context }) => context).join(', ')}: ${text}`);
  const isWide = format.type === 'wide';
  if (known.answers.some(({ unreadKind }) => unreadKind.some(isRefused)) || unreadJoins(known).length > 0)
    await warn(known, [], { color, isWide, endOf });
  const screen = createScreen(survey.takenAt, { ...screenOf(color, process.env, process.stderr), wide: isWide });
  const lines = [
    ...warnings.map((text) => sanitiseReport({ text }).text),
    ...renderContexts(sanitiseReport(survey.source), [], screen, () => false),
  ];
  if (lines.length > 0) await complain(lines.join('\n'));
}
