import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import { installCompletion } from './run/install.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { generalFlags } from '../../cli/flags.ts';

export default class CompletionInstall extends BaseCommand {
  static override summary = 'lets kubectl complete "kubectl csi", where the plugin manager did not';
  static override description =
    'kubectl 1.26 and newer completes a plugin with the help of a second program, kubectl_complete-csi, which has to be on the PATH. This puts it beside kubectl-csi. A file of that name which is not ours is left alone.';
  static override examples = [
    { description: 'beside the plugin', command: 'kubectl csi completion install' },
    { description: 'somewhere else on the PATH', command: 'kubectl csi completion install --dir ~/.local/bin' },
  ];
  static override flags = {
    dir: Flags.string({ summary: 'the directory to put it into, which has to be on the PATH', helpValue: 'DIR' }),
    'dry-run': Flags.boolean({ summary: 'only say what would be done' }),
    ...generalFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(CompletionInstall);
    return installCompletion(flags);
  }
}
