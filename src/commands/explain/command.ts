import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { explainCause } from './run.ts';
import { generalFlags, outputFlag } from '../../cli/flags.ts';

export default class Explain extends BaseCommand {
  static override summary = 'Show the page of a cause, or the causes that an error text can mean';
  static override usage = "CAUSE | 'ERROR TEXT' | --message FILE|-";
  static override description = `With the id of a cause: symptoms, reason, confirmation, fix.

With a text: the causes that it can mean, the most likely first, the words that decided, and what distinguishes the causes. The text can be an
error, a line of a log, a whole log, or the output of kubectl describe or kubectl get events. No cluster is read, so the text alone proves
nothing about its state: the command that is printed at the end does.`;
  static override examples = [
    { description: 'Show what "sc-missing" means and what to do', command: 'kubectl csi explain sc-missing' },
    {
      description: 'Find the causes of an error',
      command: `kubectl csi explain 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) web-0'`,
    },
    {
      description: 'Find the causes in a description or a log',
      command: 'kubectl describe pod web-0 | kubectl csi explain --message -',
    },
    { description: 'Print the page as Markdown', command: 'kubectl csi explain sc-missing -o markdown' },
  ];
  static override args = {
    cause: Args.string({ description: 'The id of a cause, or the text of an error in quotes', ignoreStdin: true }),
  };
  static override flags = {
    message: Flags.string({
      summary: 'Read the text of an error, a log or a description from a file, or - for standard input',
      helpValue: 'FILE',
    }),
    output: outputFlag(['text', 'wide', 'markdown', 'json', 'yaml', 'name']),
    ...generalFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Explain);
    return explainCause(args.cause, flags);
  }
}
