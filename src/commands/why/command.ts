import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { stuckFlags } from '../../cli/flags.ts';
import { explainStuck } from '../../cli/diagnosis/explain-stuck.ts';

export default class Why extends BaseCommand {
  static override summary = 'Explain why a claim, pod, volume, snapshot, node or driver is stuck';
  static override usage = '[TYPE/NAME]...';
  static override description = `Names the cause, shows the evidence and gives the fix for objects that are Pending, ContainerCreating, Terminating, Lost, Released, Failed, not resizing or not ready.

Types:
  storage    pvc, pv, sc, va, vac, vs, vsc, csidriver
  objects    bucketclaim, bucketaccess, bucket
  cluster    pod, node, ns
  workloads  sts, deploy, ds, rs, job, cronjob (their pods and claims are explained)

A NAME without a type is a claim. Without any name, everything stuck in the namespace is explained, with -A in the whole cluster.

Each cause states how sure it is:
  certain   the objects prove it
  likely    the objects fit, and an event, a log or a usual default supports it
  possible  it fits what can be seen, and so could other causes: confirm it first`;
  static override examples = [
    { description: 'Explain a pod in ContainerCreating', command: 'kubectl csi why pod/web-0 -n shop' },
    {
      description: 'Explain a claim that stays Terminating and a volume that is not released',
      command: 'kubectl csi why pvc/data pv/pvc-1234',
    },
    { description: 'Explain a snapshot that does not become ready', command: 'kubectl csi why vs/nightly' },
    { description: 'Explain a bucket claim that is not ready', command: 'kubectl csi why bucketclaim/photos' },
    { description: 'Explain the pods and claims of a StatefulSet', command: 'kubectl csi why sts/db -n shop' },
    { description: 'Explain everything that is stuck in the cluster', command: 'kubectl csi why -A' },
    { description: 'Explain what is stuck in several clusters', command: 'kubectl csi why -A --contexts prod,stage' },
    { description: 'Write a page for a ticket', command: 'kubectl csi why -A -o html > storage.html' },
  ];
  static override args = {
    target: Args.string({ description: 'The objects to explain', multiple: true, ignoreStdin: true }),
  };
  static override flags = stuckFlags;

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Why);
    return explainStuck(args.target ?? [], flags, 'everything');
  }
}
