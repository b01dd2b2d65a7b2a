import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import { judgeFindings } from '../../commands/check/answer.ts';
import { ignoreFlag, parseIgnore } from '../../commands/check/ignores.ts';
import { renderCheckText } from '../../commands/check/text.ts';
import { exitCodeOfCheck } from '../../cli/exit-codes.ts';
import { readCheck } from '../../cli/read/read-check.ts';
import { spread } from '../spread.ts';
import { defineTool, paper } from '../tool.ts';
import type { Tool } from '../tool.ts';
import { detailsField, namespaceField } from './fields.ts';

/** A volume counts as full from here, as of the command. */
const fullPercent = 90;

export const check: Tool = defineTool({
  name: 'check',
  title: 'Storage health checks',
  description:
    'Health checks of the whole cluster or one namespace: everything that is stuck, and what will break next ' +
    '(drivers without a controller, orphaned volumes, deprecated settings, full volumes where usage is ' +
    'measured). The result is passed, failed or inconclusive.',
  fields: {
    namespace: { ...namespaceField, description: 'Only this namespace. Unless given, the whole cluster.' },
    fail_on: {
      type: 'text',
      choices: ['blocking', 'warning'],
      description: 'What makes the result "failed": blocking findings (the default), or warnings as well.',
    },
    ignore: {
      type: 'list',
      entry: 'CAUSE or CAUSE:NAMESPACE/NAME',
      mostEntries: 100,
      description: 'Findings to leave out of the result, as CAUSE or CAUSE:NAMESPACE/NAME; * matches any text.',
    },
    unused: { type: 'switch', description: 'Also report claims that no pod uses.' },
    details: detailsField,
  },
  output: 'check',
  readsCluster: true,
  async run({ namespace, fail_on: failOn, ignore, unused, details: wide }, { operator, open }) {
    const ignores = ignore.map((text) => parseIgnore(text, ignoreFlag));
    const survey = await readCheck(await open(), namespace, {
      unused,
      limits: { bytesPercent: fullPercent, inodesPercent: fullPercent },
    });
    const judged = judgeFindings(survey, {
      failOn: failOn === 'warning' ? 'warning' : 'blocking',
      ignores,
      baseline: undefined,
    });
    const report = await inChosenCluster(judged, operator);
    return {
      document: { ...report, findings: spread(report.findings, ({ id }) => id) },
      text: renderCheckText(report, { ...paper, wide, endOf: endOfSource(operator) }),
      exitCode: exitCodeOfCheck(report),
      narrower: 'Pass one namespace, or ignore what is known',
    };
  },
});
