import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import { renderTrace } from '../../commands/trace/text.ts';
import { exitCodeOf } from '../../cli/exit-codes.ts';
import { readTrace } from '../../cli/read/read-trace.ts';
import { parseTargets, tracedKinds } from '../../cli/targets.ts';
import { UserError } from '../../core/kube/errors.ts';
import { defineTool, paper } from '../tool.ts';
import type { Tool } from '../tool.ts';
import { detailsField, namespaceField } from './fields.ts';

export const trace: Tool = defineTool({
  name: 'trace',
  title: 'History of one volume',
  description:
    'The life of one volume or snapshot: the chain of objects from the pod to the driver with the broken ' +
    'link, a timeline of which component did what and when (rebuilt from timestamps, managed fields, ' +
    'conditions, leases and events), and how long each stage took. TYPE is pvc, pod, pv, va, vs or vsc.',
  fields: {
    target: {
      type: 'text',
      isRequired: true,
      description: 'The object as TYPE/NAME, such as pvc/data-0. A name without a type is a claim.',
    },
    namespace: namespaceField,
    details: detailsField,
  },
  output: 'trace',
  readsCluster: true,
  async run({ target, namespace, details: wide }, { operator, open }) {
    const targets = await parseTargets([target], { kinds: tracedKinds });
    if (targets.length !== 1) throw new UserError('the object to trace is missing', 'Write for example pvc/data');
    const question = {
      targets,
      namespace: namespace ?? operator.namespace,
      everywhere: false,
      selector: undefined,
      breadth: 'everything',
    } as const;
    const found = await readTrace(await open(), question, '');
    const trace = await inChosenCluster(found.trace, operator);
    return {
      document: trace,
      text: renderTrace(trace, { ...paper, wide, endOf: endOfSource(operator) }),
      exitCode: exitCodeOf(found.diagnosis.report),
      narrower: 'Trace the claim instead of the pod, or use why for the cause alone',
    };
  },
});
