import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { whatIfFormats } from './format.ts';
import { runWhatIf } from './run.ts';

export default class WhatIf extends BaseCommand {
  static override summary = 'Show what storage would do before you drain, delete, scale, apply or upgrade';
  static override usage = 'OPERATION [+ OPERATION ...]';
  static override description = `Plays an operation through on a copy of what the cluster looks like. Nothing is changed: only get and list are used.

Operations:
  drain NODE ...            as kubectl drain --ignore-daemonsets --delete-emptydir-data
  lose NODE | zone=ZONE | LABEL=VALUE ...
                            machines fail without a shutdown, and their Node objects stay
  delete TYPE/NAME ...      ns, pvc, pv, sc, csidriver, node, vs, pod
  scale TYPE/NAME           deploy, sts or rs, with --replicas=N
  apply                     the manifests given with -f
  upgrade VERSION           what Kubernetes itself changes for the storage of this cluster

The answer says which pods could not start again and why, which pods move and where to, what is deleted or left over, how long
it takes, and what cannot be foreseen. All displaced pods are placed together.`;
  static override examples = [
    { description: 'Before a node is drained', command: 'kubectl csi what-if drain node-a' },
    { description: 'Can the cluster do without a zone?', command: 'kubectl csi what-if lose zone=zone-a' },
    { description: 'What a namespace takes with it', command: 'kubectl csi what-if delete ns/shop' },
    {
      description: 'Two operations together',
      command: 'kubectl csi what-if scale deploy/web --replicas=0 -n shop + delete pvc/uploads',
    },
    { description: 'Before an upgrade, from a dump', command: 'kubectl csi what-if upgrade 1.37 --from dump.yaml' },
  ];
  static override args = { word: Args.string({ hidden: true, multiple: true, ignoreStdin: true }) };
  static override flags = {
    filename: Flags.string({
      char: 'f',
      summary: 'Manifests for apply: file, directory, or - for standard input (repeatable)',
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
    }),
    recursive: Flags.boolean({ char: 'R', summary: 'Include the subdirectories of directories given with -f' }),
    replicas: Flags.string({
      summary: 'Replicas for scale (repeatable, one for each scale)',
      helpValue: 'N',
      multiple: true,
      multipleNonGreedy: true,
    }),
    namespace: { ...scopeFlags.namespace, summary: 'Namespace of the objects that are named' },
    output: outputFlag(whatIfFormats),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(WhatIf);
    return runWhatIf(args.word ?? [], flags);
  }
}
