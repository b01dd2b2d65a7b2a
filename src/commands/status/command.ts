import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import {
  connectionFlags,
  contextsFlags,
  generalFlags,
  outputFlag,
  scopeFlags,
  sourceFlags,
  usageFlags,
} from '../../cli/flags.ts';
import { runStatus } from './run.ts';

export default class Status extends BaseCommand {
  static override summary = 'Show drivers, nodes, claims and everything stuck on one screen';
  static override description =
    'Shows what is stuck (one line per cause), each driver with its version, controller, sidecars and nodes, volume slots per node, free capacity, and claims, volumes, attachments and snapshots by state.\n\nThe whole cluster is shown, or with -n the claims of one namespace and the drivers that serve them. Whatever could not be read is listed, and the rest is still shown. Drivers are judged by their objects; kubectl csi probe checks whether they respond.';
  static override examples = [
    { description: 'Show the whole cluster', command: 'kubectl csi status' },
    { description: 'Show one namespace and the drivers that serve it', command: 'kubectl csi status -n shop' },
    { description: 'Add images, leaders and every node', command: 'kubectl csi status -o wide' },
    { description: 'Show every cluster of the kubeconfig', command: 'kubectl csi status --all-contexts' },
    { description: 'Read a dump instead of a cluster', command: 'kubectl csi status --from dump/' },
    { description: 'Write a page for a ticket', command: 'kubectl csi status -o html > status.html' },
    { description: 'Print the screen again whenever something changes', command: 'kubectl csi status -w' },
  ];
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': Flags.boolean({ char: 'A', summary: 'Show all namespaces (the default)' }),
    output: outputFlag(['text', 'wide', 'json', 'yaml', 'html']),
    watch: Flags.boolean({ char: 'w', summary: 'Print the screen again whenever it changes' }),
    ...usageFlags,
    ...sourceFlags,
    ...contextsFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Status);
    return runStatus(flags);
  }
}
