import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import { renderStatusText } from '../../commands/status/text.ts';
import { exitCodeOfStatus } from '../../cli/exit-codes.ts';
import { readStatus } from '../../cli/read/read-status.ts';
import { defineTool, paper } from '../tool.ts';
import type { Tool } from '../tool.ts';
import { detailsField, namespaceField } from './fields.ts';

export const status: Tool = defineTool({
  name: 'status',
  title: 'Storage of a cluster on one screen',
  description:
    'Overview: drivers with version, controller and the nodes where they are registered, claims, volumes, ' +
    'attachments and snapshots by state, volume slots, free capacity, and one line per cause of what is ' +
    'stuck. Drivers are judged by their objects; nothing is probed.',
  fields: {
    namespace: {
      ...namespaceField,
      description:
        'Only the claims of this namespace and the drivers that serve them. Unless given, the whole cluster.',
    },
    details: detailsField,
  },
  output: 'status',
  readsCluster: true,
  async run({ namespace, details: wide }, { operator, open }) {
    const found = await inChosenCluster(await readStatus(await open(), namespace, ''), operator);
    return {
      document: found,
      text: renderStatusText(found, { ...paper, wide, endOf: endOfSource(operator) }),
      exitCode: exitCodeOfStatus(found),
      narrower: 'Pass one namespace, or use why for one object',
    };
  },
});
