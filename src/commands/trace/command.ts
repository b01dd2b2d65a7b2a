import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runTrace } from './run.ts';

export default class Trace extends BaseCommand {
  static override summary =
    'the life of one volume: its objects from pod to driver, who did what when, and where the time went';
  static override usage = 'TYPE/NAME | NAME';
  static override description =
    'Shows the chain of objects from the pod to the driver with the state of each link and an arrow at the broken one, then a timeline rebuilt from creation and deletion times, managed fields, conditions, errors, leases, container states and events, and at the end how long each stage took. It works when all events have expired. The types are pvc, pod, pv, va, vs and vsc; a name alone is a pvc. What happened at some time unknown, but by then at the latest, has a "≤" before its time. Exit code 0 says that nothing is blocked, 1 that something is, 3 that it could not be told.';
  static override examples = [
    { description: 'a claim', command: 'kubectl csi trace data-0 -n shop' },
    { description: 'why a pod took so long to start', command: 'kubectl csi trace pod/web-0 -n shop' },
    { description: 'with times, sources and lesser entries', command: 'kubectl csi trace pvc/data-0 -o wide' },
    {
      description: 'a snapshot in a dump that somebody sent',
      command: 'kubectl csi trace vs/nightly --from dump.yaml',
    },
  ];
  static override args = {
    target: Args.string({
      description: 'a claim, pod, volume, attachment or snapshot',
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    namespace: scopeFlags.namespace,
    output: outputFlag(['text', 'wide', 'json', 'yaml']),
    watch: Flags.boolean({ char: 'w', summary: 'print the trace again whenever it changes' }),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Trace);
    return runTrace(args.target ?? [], flags);
  }
}
