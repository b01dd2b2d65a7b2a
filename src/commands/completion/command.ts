import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { generalFlags } from '../../cli/flags.ts';
import { printCompletion } from './run.ts';

export default class Completion extends BaseCommand {
  static override summary = 'the script with which a shell completes commands, flags and names';
  static override usage = 'bash|zsh|fish|powershell';
  static override description =
    'The script completes the stand-alone name kubectl-csi. For "kubectl csi", kubectl completes by itself once it finds kubectl_complete-csi on the PATH: kubectl csi completion install puts it there. Names come from the cluster; when it does not answer at once, only what is known without it is offered.';
  static override examples = [
    { description: 'bash, in ~/.bashrc', command: 'source <(kubectl-csi completion bash)' },
    { description: 'zsh, after compinit in ~/.zshrc', command: 'source <(kubectl-csi completion zsh)' },
    { description: 'fish', command: 'kubectl-csi completion fish > ~/.config/fish/completions/kubectl-csi.fish' },
    {
      description: 'PowerShell, in $PROFILE',
      command: 'kubectl-csi completion powershell | Out-String | Invoke-Expression',
    },
  ];
  static override args = { shell: Args.string({ description: 'the shell', ignoreStdin: true }) };
  static override flags = { ...generalFlags };

  override async run(): Promise<ExitCode> {
    const { args } = await this.parse(Completion);
    return printCompletion(args.shell);
  }
}
