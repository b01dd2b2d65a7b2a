import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { explainCause } from './run.ts';
import { generalFlags, outputFlag } from '../../cli/flags.ts';

export default class Explain extends BaseCommand {
  static override summary = 'Show the page of one cause: symptoms, reason, confirmation, fix';
  static override usage = 'CAUSE';
  static override examples = [
    { description: 'Show what "sc-missing" means and what to do', command: 'kubectl csi explain sc-missing' },
    { description: 'Print the page as Markdown', command: 'kubectl csi explain sc-missing -o markdown' },
  ];
  static override args = { cause: Args.string({ description: 'The id of the cause', ignoreStdin: true }) };
  static override flags = { output: outputFlag(['text', 'markdown', 'json', 'yaml']), ...generalFlags };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Explain);
    return explainCause(args.cause, flags);
  }
}
