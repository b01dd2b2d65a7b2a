import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runStatus } from './run.ts';

export default class Status extends BaseCommand {
  static override summary = 'the storage of the whole cluster on one screen';
  static override description =
    'Each driver with its version, its controller, its sidecars and its nodes; volumes used and allowed on each node; free space; claims, volumes, attachments and snapshots by state; and what is stuck, one line for each cause. The whole cluster is shown; with -n the claims of one namespace and the drivers that serve them. What could not be read is said, and the rest is shown all the same. Exit code 0 says that nothing is blocked, 1 that something is, 3 that it could not be told.';
  static override examples = [
    { description: 'the whole cluster', command: 'kubectl csi status' },
    { description: 'one namespace and what serves it', command: 'kubectl csi status -n shop' },
    { description: 'with images, leaders and every odd node', command: 'kubectl csi status -o wide' },
    { description: 'a dump that somebody sent', command: 'kubectl csi status --from dump/' },
    { description: 'again whenever something changes', command: 'kubectl csi status -w' },
  ];
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': Flags.boolean({ char: 'A', summary: 'look in all namespaces, which is the default' }),
    output: outputFlag(['text', 'wide', 'json', 'yaml']),
    watch: Flags.boolean({ char: 'w', summary: 'print the screen again whenever it changes' }),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Status);
    return runStatus(flags);
  }
}
