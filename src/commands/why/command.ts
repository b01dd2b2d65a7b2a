import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { stuckFlags } from '../../cli/flags.ts';
import { explainStuck } from '../../cli/explain-stuck.ts';

export default class Why extends BaseCommand {
  static override summary =
    'why anything in storage is stuck: claims, pods, volumes, attachments, snapshots, nodes, drivers';
  static override usage = '[TYPE/NAME]...';
  static override description =
    'Pending, ContainerCreating, Terminating, Lost, Released, Failed, not resizing, not ready: names the cause, shows the evidence and gives the fix. The types are pvc, pod, pv, va, sc, vs, vsc, node, csidriver, vac and ns, and the workloads sts, deploy, ds, rs, job and cronjob, of which the pods and claims are judged; a name alone is a pvc. Without a name: all that is stuck in the namespace, with -A in the cluster.';
  static override examples = [
    { description: 'a pod in ContainerCreating', command: 'kubectl csi why pod/web-0 -n shop' },
    {
      description: 'a claim that will not go, a volume that is not freed',
      command: 'kubectl csi why pvc/data pv/pvc-1234',
    },
    { description: 'a snapshot that is never ready', command: 'kubectl csi why vs/nightly' },
    { description: 'the pods and claims of a StatefulSet', command: 'kubectl csi why sts/db -n shop' },
    { description: 'everything stuck in the whole cluster', command: 'kubectl csi why -A' },
  ];
  static override args = { target: Args.string({ description: 'what is stuck', multiple: true, ignoreStdin: true }) };
  static override flags = stuckFlags;

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Why);
    return explainStuck(args.target ?? [], flags, 'everything');
  }
}
