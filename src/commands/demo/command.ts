import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { runDemo } from './run.ts';
import { generalFlags, outputFlag } from '../../cli/flags.ts';

export default class Demo extends BaseCommand {
  static override summary = 'Run a small broken cluster that heals when you follow a fix';
  static override description =
    'Starts an API server on this machine with a small cluster whose storage is broken in many ways. It prints the diagnosis and then runs until Ctrl-C, so that you can use kubectl and kubectl csi in another terminal.\n\nThe cluster accepts changes (create, apply, patch, scale, label, taint, drain, delete), and small controllers bind, provision, schedule and attach: follow a printed fix, and what was stuck heals. Nothing is kept when it ends.\n\nIts drivers speak gRPC on sockets in a temporary directory, each in a state of its own. Probe them there, or through the pods of the cluster.';
  static override examples = [
    { description: 'Start the cluster, and repair it from another terminal', command: 'kubectl csi demo' },
    { description: 'Explore it on a live screen', command: 'kubectl csi demo --tui' },
    { description: 'Print the diagnosis and exit', command: 'kubectl csi demo --once' },
    { description: 'The same with the evidence and fix of every cause', command: 'kubectl csi demo --once --details' },
  ];
  static override flags = {
    tui: Flags.boolean({ summary: 'Open the live screen; quitting it stops the cluster' }),
    once: Flags.boolean({ summary: 'Print the diagnosis and exit' }),
    details: Flags.boolean({ summary: 'Show evidence and fix of every cause' }),
    port: Flags.string({ summary: 'Port of the API server; a free one if not set', helpValue: 'PORT' }),
    output: outputFlag(['text', 'wide', 'json', 'yaml', 'name']),
    ...generalFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Demo);
    // A command does not import another one: the program runs `tui` as if it had been typed.
    const showScreen = (kubeconfig: string): Promise<ExitCode> =>
      this.config.runCommand('tui', [`--kubeconfig=${kubeconfig}`, '--all-namespaces', `--color=${flags.color}`]);
    return runDemo(flags, showScreen);
  }
}
