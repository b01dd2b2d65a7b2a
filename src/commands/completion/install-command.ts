import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import { installCompletion } from './run/install.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { generalFlags } from '../../cli/flags.ts';

export default class CompletionInstall extends BaseCommand {
  static override summary = 'Install the program that lets kubectl complete "kubectl csi"';
  static override description =
    'kubectl 1.26 and later completes a plugin with a second program, kubectl_complete-csi, which must be on the PATH. This command puts it next to kubectl-csi. An existing file of that name that kubectl-csi did not write is not changed.\n\nSkip this if a plugin manager already installed it.';
  static override examples = [
    { description: 'Install it next to the plugin', command: 'kubectl csi completion install' },
    {
      description: 'Install it in another directory on the PATH',
      command: 'kubectl csi completion install --dir ~/.local/bin',
    },
  ];
  static override flags = {
    dir: Flags.string({ summary: 'Directory to install it in; must be on the PATH', helpValue: 'DIR' }),
    'dry-run': Flags.boolean({ summary: 'Show what would be done, without doing it' }),
    ...generalFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(CompletionInstall);
    return installCompletion(flags);
  }
}
