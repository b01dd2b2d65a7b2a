import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { generalFlags, outputFlag } from '../../cli/flags.ts';
import { listCauses } from './run.ts';
import { stages } from './stages.ts';

export default class Causes extends BaseCommand {
  static override summary = 'the list of all causes that can be named';
  static override examples = [
    { description: 'every cause with its stage and severity', command: 'kubectl csi causes' },
    { description: 'what can hold up the scheduling of a pod', command: 'kubectl csi causes --stage schedule' },
  ];
  static override flags = {
    stage: Flags.string({
      summary: `only the causes of one stage: ${stages.join(', ')}`,
      helpValue: 'STAGE',
      options: [...stages],
    }),
    output: outputFlag(['text', 'wide', 'json', 'name']),
    'no-headers': Flags.boolean({ summary: 'leave the header line out' }),
    ...generalFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Causes);
    return listCauses(flags);
  }
}
