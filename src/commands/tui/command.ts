import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runTuiCommand } from './run.ts';

export default class Tui extends BaseCommand {
  static override summary = 'the same, live and under the fingers: what is stuck, why, and what it hangs on';
  static override description =
    'A screen that follows the cluster: what is stuck, folded by cause; the journey of each object with its evidence and fixes; the chain from the pod to the driver, to walk along; events, timelines, the page of each cause and the YAML of any object; and tables of claims, volumes, drivers, attachments and snapshots. A sign says when what is shown is out of date. ? lists the keys, q quits. Nothing is changed in the cluster, and nothing is executed there without a question first. The whole cluster is shown unless a namespace is named.';
  static override examples = [
    { description: 'the whole cluster', command: 'kubectl csi tui' },
    { description: 'one namespace', command: 'kubectl csi tui -n shop' },
    { description: 'a dump that somebody sent', command: 'kubectl csi tui --from dump/' },
    { description: 'a broken cluster to play with', command: 'kubectl csi demo --tui' },
  ];
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': Flags.boolean({ char: 'A', summary: 'look in all namespaces, which is the default' }),
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
