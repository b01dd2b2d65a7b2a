import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { preflightFormats } from './format.ts';
import { runPreflight } from './run.ts';

export default class Preflight extends BaseCommand {
  static override summary = 'whether manifests would work on this cluster, before they are applied';
  static override usage = '-f FILE|DIRECTORY|- ...';
  static override description =
    'Judges manifests as if they had been applied, and makes nothing, not even for a try. For each claim, StatefulSet, Deployment, DaemonSet, Job, CronJob, pod, class, volume and snapshot it says: ok, would wait (by design), would fail (with the cause, the file and the line), or not known (what could not be read). Ends with 1 if anything would fail, with 3 if nothing would but something is not known.';
  static override examples = [
    {
      description: 'a chart, before it is installed',
      command: 'helm template shop ./chart | kubectl csi preflight -n shop -f -',
    },
    {
      description: 'a directory, with annotations for a pull request',
      command: 'kubectl csi preflight -f deploy/ -R -o github',
    },
    { description: 'against a dump of the cluster', command: 'kubectl csi preflight -f app.yaml --from dump.yaml' },
  ];
  static override args = { word: Args.string({ hidden: true, multiple: true, ignoreStdin: true }) };
  static override flags = {
    filename: Flags.string({
      char: 'f',
      summary: 'a file, a directory, or - for standard input (repeatable)',
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
    }),
    recursive: Flags.boolean({ char: 'R', summary: 'also the directories below those named with -f' }),
    namespace: { ...scopeFlags.namespace, summary: 'the namespace of manifests that name none' },
    output: outputFlag(preflightFormats),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Preflight);
    return runPreflight(args.word ?? [], flags);
  }
}
