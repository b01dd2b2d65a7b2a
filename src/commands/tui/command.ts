import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runTuiCommand } from './run.ts';

export default class Tui extends BaseCommand {
  static override summary = 'Explore what is stuck, and why, on a live screen';
  static override description =
    'Follows the cluster and shows:\n  -  what is stuck, grouped by cause, with stages, evidence and fixes\n  -  the chain of objects from the pod to the driver\n  -  events, timelines, cause pages and the YAML of any object\n  -  the log of the component that has to act next\n  -  tables of claims, pods, volumes, classes, drivers, attachments, snapshots and events\n\nPress ? for the keys and q to quit. The screen says when its data is out of date. The cluster is only read, and no command runs in a pod without your confirmation. Without -n, the whole cluster is shown.';
  static override examples = [
    { description: 'Show the whole cluster', command: 'kubectl csi tui' },
    { description: 'Show one namespace', command: 'kubectl csi tui -n shop' },
    { description: 'Read a dump instead of a cluster', command: 'kubectl csi tui --from dump/' },
    { description: 'Try it on a small broken cluster', command: 'kubectl csi demo --tui' },
  ];
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': Flags.boolean({ char: 'A', summary: 'Show all namespaces (the default)' }),
    ascii: Flags.boolean({ summary: 'Draw with ASCII characters only' }),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Tui);
    return runTuiCommand(flags);
  }
}
