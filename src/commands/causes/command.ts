import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { generalFlags, outputFlag } from '../../cli/flags.ts';
import { listCauses } from './run.ts';
import { stages } from './stages.ts';

export default class Causes extends BaseCommand {
  static override summary = 'List all causes that can be diagnosed';
  static override examples = [
    { description: 'List every cause with its stage and severity', command: 'kubectl csi causes' },
    { description: 'List what can block the scheduling of a pod', command: 'kubectl csi causes --stage schedule' },
    { description: 'List the causes whose page mentions a word', command: 'kubectl csi causes --search quota' },
  ];
  static override flags = {
    stage: Flags.string({
      summary: `Only the causes of one stage: ${stages.join(', ')}`,
      helpValue: 'STAGE',
      options: [...stages],
    }),
    search: Flags.string({
      summary: 'Only the causes whose id or page has these words',
      helpValue: 'WORD',
    }),
    output: outputFlag(['text', 'wide', 'json', 'yaml', 'name']),
    'no-headers': Flags.boolean({ summary: 'Omit the header line' }),
    ...generalFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Causes);
    return listCauses(flags);
  }
}
