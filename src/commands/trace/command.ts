import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runTrace } from './run.ts';

export default class Trace extends BaseCommand {
  static override summary = 'Show the history of one volume and where the time went';
  static override usage = 'TYPE/NAME | NAME';
  static override description =
    'Shows three things:\n  1.  the chain of objects from the pod to the driver, with an arrow at the broken one\n  2.  a timeline of which component did what, and when\n  3.  how long each stage took\n\nThe timeline is rebuilt from timestamps, managed fields, conditions, leases, container states and events. It works even when all events have expired. "≤" before a time means at that time or earlier.\n\nTYPE is pvc, pod, pv, va, vs or vsc; a NAME without a type is a claim.';
  static override examples = [
    { description: 'Trace a claim', command: 'kubectl csi trace data-0 -n shop' },
    { description: 'See why a pod took so long to start', command: 'kubectl csi trace pod/web-0 -n shop' },
    { description: 'Write a page with a timeline to scale', command: 'kubectl csi trace data-0 -o html > trace.html' },
    { description: 'Add exact times, sources and minor entries', command: 'kubectl csi trace pvc/data-0 -o wide' },
    {
      description: 'Trace a snapshot in a dump',
      command: 'kubectl csi trace vs/nightly --from dump.yaml',
    },
  ];
  static override args = {
    target: Args.string({
      description: 'A claim, pod, volume, attachment or snapshot',
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    namespace: scopeFlags.namespace,
    output: outputFlag(['text', 'wide', 'json', 'yaml', 'html']),
    watch: Flags.boolean({ char: 'w', summary: 'Print the trace again whenever it changes' }),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Trace);
    return runTrace(args.target ?? [], flags);
  }
}
