import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { generalFlags } from '../../cli/flags.ts';
import { printCompletion } from './run.ts';

export default class Completion extends BaseCommand {
  static override summary = 'Print a shell completion script';
  static override usage = 'bash|zsh|fish|powershell';
  static override description =
    'The script completes commands, flags and names for kubectl-csi. To complete "kubectl csi", kubectl needs the program kubectl_complete-csi on the PATH: run kubectl csi completion install.\n\nNames of objects are read from the cluster. If it does not answer quickly, only commands and flags are completed.';
  static override examples = [
    { description: 'bash, in ~/.bashrc', command: 'source <(kubectl-csi completion bash)' },
    { description: 'zsh, after compinit in ~/.zshrc', command: 'source <(kubectl-csi completion zsh)' },
    { description: 'fish', command: 'kubectl-csi completion fish > ~/.config/fish/completions/kubectl-csi.fish' },
    {
      description: 'PowerShell, in $PROFILE',
      command: 'kubectl-csi completion powershell | Out-String | Invoke-Expression',
    },
  ];
  static override args = { shell: Args.string({ description: 'The shell', ignoreStdin: true }) };
  static override flags = { ...generalFlags };

  override async run(): Promise<ExitCode> {
    const { args } = await this.parse(Completion);
    return printCompletion(args.shell);
  }
}
