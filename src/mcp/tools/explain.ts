import { answerText } from '../../commands/explain/answer.ts';
import { renderMessageReport } from '../../commands/explain/message-text.ts';
import { firstSentence, readCausePage, readSentences } from '../../cli/cause-pages.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { explainOnly } from '../../core/causes/explain-only.ts';
import { everyRule } from '../../core/causes/index.ts';
import { UserError } from '../../core/kube/errors.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import type { Finding } from '../answer.ts';
import { defineTool, paper } from '../tool.ts';
import type { Tool } from '../tool.ts';
import { detailsField } from './fields.ts';

export const explain: Tool = defineTool({
  name: 'explain',
  title: 'What does a cause or an error mean?',
  description:
    'With "cause": the page of a cause (what you see, why it happens, how to confirm, how to fix, when it is ' +
    'harmless). With "text": the causes that an error, a log or the output of kubectl describe can mean, the ' +
    'most likely first. Reads no cluster, so a text alone proves nothing about its state.',
  fields: {
    cause: { type: 'text', description: 'The id of a cause, such as sc-missing.' },
    text: {
      type: 'text',
      mostCharacters: 500_000,
      description: 'The text of an error, a log, or the output of kubectl describe.',
    },
    details: { ...detailsField, description: 'Also the less likely causes of a text.' },
  },
  output: 'explain',
  readsCluster: false,
  async run({ cause, text, details }) {
    if ((cause === undefined) === (text === undefined))
      throw new UserError('pass one of "cause" and "text"', 'An id such as sc-missing is a cause, an error is a text');
    return cause === undefined ? explainText(text ?? '', details) : explainCause(cause);
  },
});

const narrower = 'Pass the part of the text with the error';

async function explainCause(id: string): Promise<Finding> {
  const { cause, markdown } = await readCausePage(id);
  const summary = firstSentence(markdown);
  return {
    document: { apiVersion: 'csi.kubectl.dev/v1', kind: 'CausePage', cause, summary, markdown },
    text: markdown,
    exitCode: exitCodes.ok,
    narrower,
    isVerdict: false,
    isOwnText: true,
  };
}

function explainText(written: string, wide: boolean): Finding {
  const text = sanitise(written, { newlines: true });
  if (text.trim() === '') throw new UserError('the text is empty', 'Pass the text of an error or a log');
  const stages = new Map([...everyRule(), ...explainOnly].map(({ cause, stage }) => [cause, stage]));
  const report = answerText({ type: 'argument', name: 'the text', text }, { stages, sentences: readSentences() });
  return {
    document: report,
    text: renderMessageReport(report, { ...paper, wide }),
    exitCode: report.items.length > 0 ? exitCodes.ok : exitCodes.inconclusive,
    narrower,
    isVerdict: false,
  };
}
