import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import { preflight as judge } from '../../commands/preflight/answer.ts';
import { renderPreflight } from '../../commands/preflight/text.ts';
import { exitCodeOfPreflight } from '../../cli/exit-codes.ts';
import { readManifestText } from '../../io/files/manifests.ts';
import { defineTool, paper } from '../tool.ts';
import type { Tool } from '../tool.ts';
import { detailsField, manifestsField, namespaceField } from './fields.ts';

export const preflight: Tool = defineTool({
  name: 'preflight',
  title: 'Would these manifests work?',
  description:
    'Judges manifests as if they had been applied: would each claim, workload, pod, class, volume and ' +
    'snapshot work on this cluster? Nothing is created, not even as a dry run. ' +
    'Pass the manifests as text; files cannot be read.',
  fields: {
    manifests: { ...manifestsField, isRequired: true },
    namespace: { ...namespaceField, description: 'Namespace for manifests that do not set one.' },
    details: detailsField,
  },
  output: 'preflight',
  readsCluster: true,
  async run({ manifests: text, namespace, details: wide }, { operator, open }) {
    const manifests = await readManifestText(text, 'manifests');
    const source = await open();
    const place = namespace ?? (operator.namespace || source.namespace || 'default');
    const { report: found } = await source.answer((snapshot) => judge(snapshot, manifests, place));
    const report = await inChosenCluster(found, operator);
    return {
      document: report,
      text: renderPreflight(report, { ...paper, wide, endOf: endOfSource(operator) }),
      exitCode: exitCodeOfPreflight(report),
      narrower: 'Pass fewer manifests at a time',
    };
  },
});
