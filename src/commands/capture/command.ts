import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, logsFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runCapture } from './run.ts';

export default class Capture extends BaseCommand {
  static override summary = 'Save everything a diagnosis needs in one redacted file';
  static override usage = '[TYPE/NAME]...';
  static override description = `Writes one compressed file, which every command reads with --from instead of a cluster.

What is captured:
  TYPE/NAME  what why, trace and get need about this object
  no name    the namespace, with -A the whole cluster
  --from     a dump, redacted and written in this format

Only fields that a diagnosis uses are kept. Secret contents are never fetched. Anything that looks like a credential is removed from annotations, environment variables, arguments, parameters and messages. If something could not be read, the file records it and the exit code is 3.`;
  static override examples = [
    { description: 'Capture one claim, to send to support', command: 'kubectl csi capture pvc/data-0 -n shop' },
    { description: 'Show what would be written and redacted', command: 'kubectl csi capture -A --dry-run' },
    {
      description: 'Capture the whole cluster, with names replaced',
      command: 'kubectl csi capture -A --anonymize -o cluster.json.gz',
    },
    { description: 'Diagnose from the file', command: 'kubectl csi why --from cluster.json.gz' },
    {
      description: 'Redact an existing dump',
      command: 'kubectl csi capture --from dump.yaml -o safe.json.gz',
    },
  ];
  static override args = {
    target: Args.string({ description: 'The objects to capture', multiple: true, ignoreStdin: true }),
  };
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': scopeFlags['all-namespaces'],
    output: Flags.string({
      char: 'o',
      summary: 'File to write, or - for standard output; not compressed if the name ends in .json',
      helpValue: 'FILE',
    }),
    force: Flags.boolean({ summary: 'Overwrite the file if it exists' }),
    'dry-run': Flags.boolean({ summary: 'Show what would be written and redacted, without writing' }),
    anonymize: Flags.boolean({ summary: 'Replace names, addresses and ids consistently' }),
    'anonymize-key': Flags.string({
      summary: 'Use the same replacements as other files with this key; random if not set',
      helpValue: 'KEY',
    }),
    logs: logsFlag(
      'Include logs of the components that what is stuck waits for: ' +
        'auto (unless the cause is certain), always (also --logs), never (the default)',
    ),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Capture);
    return runCapture(args.target ?? [], flags);
  }
}
