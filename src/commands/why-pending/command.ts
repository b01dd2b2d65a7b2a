import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { stuckFlags } from '../../cli/flags.ts';
import { explainStuck } from '../../cli/explain-stuck.ts';

export default class WhyPending extends BaseCommand {
  static override summary = 'why claims are Pending, and why pods wait for their volumes';
  static override usage = '[TYPE/NAME | NAME]...';
  static override description =
    'Names the first broken link between a claim and a running pod, shows the evidence and gives the fix. A type is pvc or pod; a name alone is a pvc. Without a name: all that is stuck in the namespace (of a dump: in all of it).';
  static override examples = [
    { description: 'everything stuck in this namespace', command: 'kubectl csi why-pending' },
    { description: 'one claim', command: 'kubectl csi why-pending data-0 -n shop' },
    { description: 'the whole cluster, for a script', command: 'kubectl csi why-pending -A -o json' },
    { description: 'a dump that somebody sent', command: 'kubectl csi why-pending --from dump.yaml' },
  ];
  static override args = {
    target: Args.string({ description: 'a claim or a pod', multiple: true, ignoreStdin: true }),
  };
  static override flags = stuckFlags;

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(WhyPending);
    return explainStuck(args.target ?? [], flags, 'pending');
  }
}
