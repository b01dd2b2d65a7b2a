import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, contextsFlags, generalFlags, scopeFlags, sourceFlags, usageFlags } from '../../cli/flags.ts';
import { readJsonpath } from '../../cli/output-format.ts';
import { runGet } from './run.ts';

export default class Get extends BaseCommand {
  static override summary = 'List claims, volumes and drivers with the objects around them';
  static override usage = 'TYPE[,TYPE] [NAME]... | TYPE/NAME...';
  static override description = `Types:
  pvc           claims with their cause, volume, driver, node and pods
  pods          pods that use storage, with their cause and claims
  pv            volumes with their claim and where they are attached
  sc            classes with what their driver supports
  csinodes      nodes with their drivers and volume slots
  attachments   VolumeAttachments with their claim and errors
  drivers       drivers with their controller, leader and sidecars
  snapshots     snapshots with their content and source
  capacity      free space per class and topology segment
  buckets       buckets of object storage (COSI) with their claim, driver and accesses
  bucketclaims  bucket claims with their cause, bucket and accesses

The column CAUSE names why a claim, pod or bucket is stuck; "waiting:" before it means that it waits by design. A cell with ? could not be read; standard error says why.`;
  static override examples = [
    {
      description: 'List the claims of this namespace, with nodes and pods',
      command: 'kubectl csi get pvc',
    },
    {
      description: 'List what is stuck first, in the whole cluster',
      command: 'kubectl csi get pvc -A --sort-by cause',
    },
    { description: 'List all volumes, the largest last', command: 'kubectl csi get pv --sort-by capacity' },
    { description: 'List two types in the whole cluster', command: 'kubectl csi get pvc,snapshots -A' },
    {
      description: 'Choose the columns, from the row or from the object',
      command:
        'kubectl csi get pvc -o custom-columns=NAME:.name,NODE:.attachments[*].node,ASKED:.spec.resources.requests.storage',
    },
    {
      description: 'List the claims of several clusters',
      command: 'kubectl csi get pvc -A --contexts prod,stage',
    },
    { description: 'Follow the attachments', command: 'kubectl csi get attachments -w' },
  ];
  static override args = {
    target: Args.string({ description: 'A type, and names', multiple: true, ignoreStdin: true }),
  };
  static override flags = {
    ...scopeFlags,
    'field-selector': Flags.string({
      summary: 'Only objects with these fields, such as status.phase!=Bound',
      helpValue: 'FIELDS',
    }),
    output: Flags.string({
      char: 'o',
      summary: 'Output format: text, wide, json, yaml, name, jsonpath=TEMPLATE or custom-columns=TITLE:.path,…',
      helpValue: 'FORMAT',
      default: 'text',
      parse: async (written) => (await readJsonpath(written)) ?? written,
    }),
    'sort-by': Flags.string({
      summary: 'Sort by a column or a .path; sizes, ages and numbers sort by value',
      helpValue: 'COLUMN',
    }),
    watch: Flags.boolean({ char: 'w', summary: 'After the table, print each row that changes' }),
    'no-headers': Flags.boolean({ summary: 'Omit the header line' }),
    'show-labels': Flags.boolean({ summary: 'Show the labels in the last column' }),
    ...usageFlags,
    ...sourceFlags,
    ...contextsFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Get);
    return runGet(args.target ?? [], flags);
  }
}
