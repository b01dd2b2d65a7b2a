import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { explainCause } from './run.ts';
import { generalFlags, outputFlag } from '../../cli/flags.ts';

export default class Explain extends BaseCommand {
  static override summary = 'the page of one cause: what you see, why, how to confirm, how to fix';
  static override usage = 'CAUSE';
  static override examples = [
    { description: 'what "sc-missing" means and what to do', command: 'kubectl csi explain sc-missing' },
    { description: 'the page as it was written', command: 'kubectl csi explain sc-missing -o markdown' },
  ];
  static override args = { cause: Args.string({ description: 'the id of the cause', ignoreStdin: true }) };
  static override flags = { output: outputFlag(['text', 'markdown', 'json']), ...generalFlags };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Explain);
    return explainCause(args.cause, flags);
  }
}
