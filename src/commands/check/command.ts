import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import { checkFormats } from './format.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runCheck } from './run.ts';

export default class Check extends BaseCommand {
  static override summary = 'whether the storage of the cluster is healthy, for CI';
  static override description =
    'Looks for everything that is stuck, for drivers that are missing or unhealthy on nodes, for sidecars without a leader and for mistakes with the default class; and, as warnings, for nodes, quotas and storage that are nearly full, and for what is left over: released and failed volumes, attachments and snapshot contents. The whole cluster is checked; with -n the claims of one namespace and the drivers that serve them. Exit code 0 says that nothing is blocked, 1 that something is, 3 that it could not be told, whatever --fail-on says.';
  static override examples = [
    { description: 'the whole cluster', command: 'kubectl csi check' },
    { description: 'fail on warnings too', command: 'kubectl csi check --fail-on warning' },
    {
      description: 'after a deployment: until all is well, or as soon as something cannot come right',
      command: 'kubectl csi check -n shop --wait 5m',
    },
    { description: 'fail only on what is new', command: 'kubectl csi check --baseline storage.json' },
    { description: 'leave one volume out', command: 'kubectl csi check --ignore pv-released-retain:pvc-1234' },
    { description: 'annotations of a GitHub job', command: 'kubectl csi check -o github' },
    { description: 'a dump, as a report of tests', command: 'kubectl csi check --from dump/ -o junit > storage.xml' },
  ];
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': Flags.boolean({ char: 'A', summary: 'look in all namespaces, which is the default' }),
    'fail-on': Flags.option({
      summary: 'what makes it fail: blocking, or warning too',
      helpValue: 'SEVERITY',
      options: ['blocking', 'warning'] as const,
      default: 'blocking' as const,
    })(),
    ignore: Flags.string({
      summary: 'leave this out, * for anything in the names: CAUSE or CAUSE:NAMESPACE/NAME (repeatable)',
      helpValue: 'CAUSE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'ignore-file': Flags.string({
      summary: 'the same, one a line, # before the reason; .kubectl-csi-ignore if it is here',
      helpValue: 'FILE',
    }),
    baseline: Flags.string({ summary: 'count only what is not in this file', helpValue: 'FILE' }),
    'write-baseline': Flags.string({ summary: 'write what is found to this file', helpValue: 'FILE' }),
    wait: Flags.string({
      summary: 'look again for so long, until all is well or something is proven stuck',
      helpValue: 'TIME',
    }),
    list: Flags.boolean({ summary: 'list the checks beside the causes, and end' }),
    output: outputFlag(checkFormats),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Check);
    return runCheck(flags);
  }
}
