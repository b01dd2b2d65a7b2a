import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, junitFileFlag, outputFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { preflightFormats } from './format.ts';
import { runPreflight } from './run.ts';

export default class Preflight extends BaseCommand {
  static override summary = 'Check whether manifests would work, before you apply them';
  static override usage = '-f FILE|DIRECTORY|- ...';
  static override description = `Judges manifests as if they had been applied. Nothing is created, not even as a dry run.

Each claim, workload, pod, class, volume and snapshot gets one answer:
  ok          nothing prevents it from working
  would wait  it waits by design, for example for a pod
  would fail  with the cause, the file, the line and the fix
  not known   something that decides could not be read`;
  static override examples = [
    {
      description: 'Check a chart before it is installed',
      command: 'helm template shop ./chart | kubectl csi preflight -n shop -f -',
    },
    {
      description: 'Check a directory and annotate a pull request',
      command: 'kubectl csi preflight -f deploy/ -R -o github',
    },
    {
      description: 'Write a page for a review',
      command: 'kubectl csi preflight -f deploy/ -o html > preflight.html',
    },
    {
      description: 'Check against a dump of the cluster',
      command: 'kubectl csi preflight -f app.yaml --from dump.yaml',
    },
  ];
  static override args = { word: Args.string({ hidden: true, multiple: true, ignoreStdin: true }) };
  static override flags = {
    filename: Flags.string({
      char: 'f',
      summary: 'File, directory, or - for standard input (repeatable)',
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
    }),
    recursive: Flags.boolean({ char: 'R', summary: 'Include the subdirectories of directories given with -f' }),
    namespace: { ...scopeFlags.namespace, summary: 'Namespace for manifests that do not set one' },
    output: outputFlag(preflightFormats),
    ...junitFileFlag,
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Preflight);
    return runPreflight(args.word ?? [], flags);
  }
}
