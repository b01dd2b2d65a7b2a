import { renderAnswers, sorted } from '../../commands/get/output.ts';
import type { GetLook } from '../../commands/get/output.ts';
import { parseQuestions, placeOf } from '../../commands/get/questions.ts';
import { judgeRows } from '../../commands/get/verdict.ts';
import { readRows } from '../../cli/read/read-rows.ts';
import { UserError } from '../../core/kube/errors.ts';
import { parseFieldSelector } from '../../core/kube/field-path.ts';
import { resourceOf } from '../../core/kube/resources.ts';
import { rowKinds } from '../../core/report/rows.ts';
import type { RowQuestion } from '../../core/report/rows.ts';
import { listOf, unreadJoins } from '../../core/survey/rows/row-list.ts';
import type { RowsSurvey } from '../../core/survey/rows/survey-rows.ts';
import type { Arguments } from '../arguments.ts';
import { defineTool, paper } from '../tool.ts';
import type { Tool } from '../tool.ts';
import { detailsField, scopeFields } from './fields.ts';

const types = Object.values(rowKinds).map(({ type }) => type);

const fields = {
  type: { type: 'text', isRequired: true, choices: types, description: `What to list: ${types.join(', ')}.` },
  names: { type: 'list', entry: 'a name', mostEntries: 50, description: 'Only the objects with these names.' },
  ...scopeFields,
  field_selector: { type: 'text', description: 'Only objects with these fields, such as status.phase!=Bound.' },
  sort_by: { type: 'text', description: 'Column or .path to sort by, such as cause, capacity or age.' },
  details: { ...detailsField, description: 'More columns.' },
} as const;

export const get: Tool = defineTool({
  name: 'get',
  title: 'Tables of storage objects',
  description:
    'Lists storage objects joined with what is around them: ' +
    'claims with cause, volume, driver, node and pods; volumes with claim and attachments; ' +
    'classes, drivers, CSI nodes with volume slots, attachments, snapshots, capacity, buckets. ' +
    'The column CAUSE is the id of the cause that why names.',
  fields,
  output: 'get',
  readsCluster: true,
  async run(given, { operator, open }) {
    const kinds = await parseQuestions([given.type, ...given.names]);
    refuseContradictions(given);
    const source = await open();
    const place = {
      everywhere: given.all_namespaces,
      namespace: given.namespace ?? operator.namespace,
      usual: source.namespace,
    };
    const questions = kinds.map((kind): RowQuestion => ({
      ...kind,
      ...placeOf(kind, place),
      ...(given.selector !== undefined && { labelSelector: given.selector }),
      ...(given.field_selector !== undefined && { fieldSelector: parseFieldSelector(given.field_selector) }),
    }));
    const survey = await readRows(source, questions, 'wide');
    const { error, exitCode, warnings } = judgeRows(survey, questions);
    const [answer] = survey.answers;
    if (answer === undefined || (error !== undefined && answer.rows.length === 0)) throw error;
    const look = lookOf(given);
    const table = await renderAnswers(survey, questions, look);
    return {
      document: listOf(survey, answer.kind, sorted(survey, answer, look)),
      text: [table, ...unreadLines(survey), ...warnings].join('\n'),
      exitCode,
      narrower: 'Pass one namespace, a selector, a field_selector such as status.phase!=Bound, or names',
      problem: error,
      isVerdict: false,
    };
  },
});

function refuseContradictions(given: Arguments<typeof fields>): void {
  if (given.names.length === 0) return;
  const [kind] = Object.entries(rowKinds).find(([, { type }]) => type === given.type) ?? [];
  if (given.all_namespaces && kind !== undefined && resourceOf(kind as keyof typeof rowKinds).namespaced)
    throw new UserError('names cannot be combined with all_namespaces', 'Pass the namespace of the objects');
  if (given.selector !== undefined || given.field_selector !== undefined)
    throw new UserError('names cannot be combined with a selector', 'Remove one of them');
}

function lookOf({ sort_by: sortBy, all_namespaces: everywhere, details }: Arguments<typeof fields>): GetLook {
  return {
    format: { type: details ? 'wide' : 'text' },
    screen: { colour: paper.colour, ascii: paper.ascii },
    sortBy,
    withHeaders: true,
    withLabels: false,
    everywhere,
  };
}

/** A cell with a question mark could not be read; this explains what, and why. */
function unreadLines(survey: RowsSurvey): string[] {
  const unread = [...survey.answers.flatMap(({ unreadKind }) => unreadKind), ...unreadJoins(survey)];
  return unread.map(
    ({ resource, reason, message, needed }) =>
      `Could not be read: ${resource} (${reason}), needed for: ${needed}${message === undefined ? '' : `. ${message}`}`,
  );
}
