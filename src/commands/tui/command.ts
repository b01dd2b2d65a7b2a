import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runTuiCommand } from './run.ts';

export default class Tui extends BaseCommand {
  static override summary = 'Browse what is stuck and why, live in the terminal';
  static override description =
    'A screen that follows the cluster: what is stuck, grouped by cause; the journey of each object with its evidence and fixes; the chain from the pod to the driver; events, timelines, the page of each cause and the YAML of any object; the log of the component that has to act next; and tables of claims, pods, volumes, classes, drivers, attachments, snapshots and events. A line at the top says when the screen is out of date. ? lists the keys, q quits. It changes nothing in the cluster, and asks before it runs anything there. Without -n it shows all namespaces.';
  static override examples = [
    { description: 'the whole cluster', command: 'kubectl csi tui' },
    { description: 'one namespace', command: 'kubectl csi tui -n shop' },
    { description: 'a dump', command: 'kubectl csi tui --from dump/' },
    { description: 'a broken cluster to practise on', command: 'kubectl csi demo --tui' },
  ];
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': Flags.boolean({ char: 'A', summary: 'show all namespaces (the default)' }),
    ascii: Flags.boolean({ summary: 'draw with ASCII characters only' }),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Tui);
    return runTuiCommand(flags);
  }
}
