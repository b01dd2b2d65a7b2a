import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runGet } from './run.ts';

export default class Get extends BaseCommand {
  static override summary = 'tables that join what kubectl get keeps apart';
  static override usage = 'TYPE[,TYPE] [NAME]... | TYPE/NAME...';
  static override description =
    'The types are pvc (with the cause, the driver, the node and the pods), pods (those that use storage, with the cause and the claims), pv, sc (with what its driver can do), csinodes (with volumes used and allowed), attachments, drivers (with the controller, its leader and sidecars), snapshots and capacity. The column CAUSE names why a claim or pod is stuck; waiting: in front of it means that it waits by design. A cell with ? could not be read; standard error says why.';
  static override examples = [
    {
      description: 'the claims of this namespace, where they are attached and who uses them',
      command: 'kubectl csi get pvc',
    },
    { description: 'what is stuck first, in the whole cluster', command: 'kubectl csi get pvc -A --sort-by cause' },
    { description: 'all volumes, the largest last', command: 'kubectl csi get pv --sort-by capacity' },
    { description: 'two kinds, of the whole cluster', command: 'kubectl csi get pvc,snapshots -A' },
    {
      description: "columns of one's own, from the row or from the object",
      command:
        'kubectl csi get pvc -o custom-columns=NAME:.name,NODE:.attachments[*].node,ASKED:.spec.resources.requests.storage',
    },
    { description: 'follow the attachments', command: 'kubectl csi get attachments -w' },
  ];
  static override args = {
    target: Args.string({ description: 'a type, and names', multiple: true, ignoreStdin: true }),
  };
  static override flags = {
    ...scopeFlags,
    'field-selector': Flags.string({
      summary: 'only what has these fields, such as status.phase!=Bound',
      helpValue: 'FIELDS',
    }),
    output: Flags.string({
      char: 'o',
      summary: 'the format: text, wide, json, yaml, name or custom-columns=TITLE:.path,…',
      helpValue: 'FORMAT',
      default: 'text',
    }),
    'sort-by': Flags.string({
      summary: 'a column or a .path; sizes, ages and numbers by their value',
      helpValue: 'COLUMN',
    }),
    watch: Flags.boolean({ char: 'w', summary: 'after the table, print each row that changes' }),
    'no-headers': Flags.boolean({ summary: 'leave the header line out' }),
    'show-labels': Flags.boolean({ summary: 'the labels as the last column' }),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Get);
    return runGet(args.target ?? [], flags);
  }
}
