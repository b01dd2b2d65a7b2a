import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { runDemo } from './run.ts';
import { generalFlags, outputFlag } from '../../cli/flags.ts';

export default class Demo extends BaseCommand {
  static override summary =
    'Try everything on an embedded cluster with broken storage that heals when you follow a fix';
  static override description =
    'Starts an API server on this machine over a small cluster where storage is broken in many ways, diagnoses it, and keeps it running for kubectl and kubectl csi until Ctrl-C. The cluster accepts changes (create, apply, patch, scale, label, taint, drain, delete), and small controllers bind, provision, schedule and attach: follow a printed fix, and what was stuck heals. Its drivers speak gRPC on sockets in a temporary directory, each in a state of its own, and can be probed there or through the pods of the cluster. Nothing is kept when it ends.';
  static override examples = [
    {
      description: 'Look around in a broken cluster, and repair it from another terminal',
      command: 'kubectl csi demo',
    },
    { description: 'The same on a live screen', command: 'kubectl csi demo --tui' },
    { description: 'Only the diagnosis, then end', command: 'kubectl csi demo --once' },
  ];
  static override flags = {
    tui: Flags.boolean({ summary: 'look around on a live screen, and end with it' }),
    once: Flags.boolean({ summary: 'print the diagnosis and end' }),
    port: Flags.string({ summary: 'the port of the API server; a free one if not given', helpValue: 'PORT' }),
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
