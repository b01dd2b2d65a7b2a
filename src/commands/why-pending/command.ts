import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { stuckFlags } from '../../cli/flags.ts';
import { explainStuck } from '../../cli/diagnosis/explain-stuck.ts';

export default class WhyPending extends BaseCommand {
  static override summary = 'Explain why claims are Pending and pods wait for their volumes';
  static override usage = '[TYPE/NAME | NAME]...';
  static override description =
    'Names the first broken step between a claim and a running pod, shows the evidence and gives the fix.\n\nTYPE is pvc or pod; a NAME without a type is a claim. Without any name, everything stuck in the namespace is explained (with --from: everything in the dump).\n\nEach cause is certain, likely or possible: see kubectl csi why --help.';
  static override examples = [
    { description: 'Explain everything that is stuck in this namespace', command: 'kubectl csi why-pending' },
    { description: 'Explain one claim', command: 'kubectl csi why-pending data-0 -n shop' },
    { description: 'Explain the whole cluster, as JSON', command: 'kubectl csi why-pending -A -o json' },
    { description: 'Read a dump instead of a cluster', command: 'kubectl csi why-pending --from dump.yaml' },
    { description: 'Explain several clusters at once', command: 'kubectl csi why-pending -A --contexts prod,stage' },
    { description: 'Write a page for a ticket', command: 'kubectl csi why-pending -A -o html > pending.html' },
  ];
  static override args = {
    target: Args.string({ description: 'A claim or a pod', multiple: true, ignoreStdin: true }),
  };
  static override flags = stuckFlags;

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(WhyPending);
    return explainStuck(args.target ?? [], flags, 'pending');
  }
}
