import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runCapture } from './run.ts';

export default class Capture extends BaseCommand {
  static override summary = 'all that a diagnosis needs in one redacted file';
  static override usage = '[TYPE/NAME]...';
  static override description =
    'Writes what the commands read into one packed file, which --from takes in place of the cluster. Only the fields that a diagnosis reads are kept; contents of secrets are never fetched, and what may be a credential is taken out of annotations, variables, arguments, parameters and messages. With a name: what why, trace and get need of it. Without: the namespace, with -A the cluster. With --from: a dump is redacted and written anew. Exit code 3 says that something could not be read; the file then says so too.';
  static override examples = [
    { description: 'one claim, to send to somebody', command: 'kubectl csi capture pvc/data-0 -n shop' },
    { description: 'what would be written, and what is taken out', command: 'kubectl csi capture -A --dry-run' },
    {
      description: 'the whole cluster, under other names',
      command: 'kubectl csi capture -A --anonymize -o cluster.json.gz',
    },
    { description: 'the answer from the file', command: 'kubectl csi why --from cluster.json.gz' },
    {
      description: 'a dump that somebody sent, redacted',
      command: 'kubectl csi capture --from dump.yaml -o safe.json.gz',
    },
  ];
  static override args = { target: Args.string({ description: 'what is stuck', multiple: true, ignoreStdin: true }) };
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': scopeFlags['all-namespaces'],
    output: Flags.string({
      char: 'o',
      summary: 'the file to write, - for standard output; a name that ends in .json is not packed',
      helpValue: 'FILE',
    }),
    force: Flags.boolean({ summary: 'replace the file if it exists' }),
    'dry-run': Flags.boolean({ summary: 'say what would be written and what is taken out, and write nothing' }),
    anonymize: Flags.boolean({ summary: 'replace names, addresses and ids, the same ones in the same way' }),
    'anonymize-key': Flags.string({
      summary: 'replace names as in other files with this key; a new one each time if not given',
      helpValue: 'KEY',
    }),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Capture);
    return runCapture(args.target ?? [], flags);
  }
}
