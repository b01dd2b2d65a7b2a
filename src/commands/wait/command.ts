import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runWait } from './run.ts';

export default class Wait extends BaseCommand {
  static override summary = 'waits like kubectl wait, and ends at once with the reason when it can no longer come true';
  static override usage = 'TYPE/NAME... | TYPE (--all | -l LABELS)';
  static override description =
    'Ends with 0 as soon as every target is what --for says; with 1 and the explanation of `why` as soon as one is proven not to come so far without a change, or when the time is over; with 3 when it cannot be told. --for takes bound, attached, mounted, resized or deleted for a pvc (bound unless said otherwise); mounted, attached, ready or deleted for a pod; bound or deleted for a pv; attached or deleted for a va; ready or deleted for vs, vsc, vgs and vgsc; deleted for a ns; delete, condition=Ready and jsonpath={.status.phase}=Bound of kubectl wait are understood too. What cannot mend itself, such as a class that does not exist, ends the wait at once. What may mend itself, such as an error that the driver is asked again after, or a driver that restarts, ends it when it lasts longer than --grace; what another node would mend is left to the timeout. What waits by design for somebody to act, such as a claim that no pod uses yet, is told at once and waited for; so is a target that does not exist yet. With --strict these count as trouble too. The stage is told on standard error. A dump (--from) does not change, and is looked at once.';
  static override examples = [
    { description: 'a claim that was just applied', command: 'kubectl csi wait pvc/data --for=bound --timeout=2m' },
    { description: 'all volumes of a pod', command: 'kubectl csi wait pod/web-0 -n shop' },
    { description: 'every claim of an application', command: 'kubectl csi wait pvc -l app=web --for=bound' },
    { description: 'a bigger size', command: 'kubectl csi wait pvc/data --for=resized' },
    { description: 'a snapshot, before it is restored', command: 'kubectl csi wait vs/nightly' },
    { description: 'fail as well if no pod uses the claim', command: 'kubectl csi wait pvc/data --strict --grace=10s' },
  ];
  static override args = {
    target: Args.string({ description: 'what to wait for', multiple: true, ignoreStdin: true }),
  };
  static override flags = {
    for: Flags.string({ summary: 'bound, attached, mounted, resized, ready or deleted', helpValue: 'GOAL' }),
    timeout: Flags.string({
      summary: 'how long to wait, such as 90s or 5m; 5m unless said, 0 looks once, less than 0 waits a week',
      helpValue: 'TIME',
      default: '5m',
    }),
    grace: Flags.string({
      summary: 'how long trouble that may mend itself is borne, 30s unless said',
      helpValue: 'TIME',
      default: '30s',
    }),
    strict: Flags.boolean({ summary: 'count it as trouble when somebody has to act first' }),
    all: Flags.boolean({ summary: 'all of the type in the namespace' }),
    ...scopeFlags,
    output: outputFlag(['text', 'json', 'yaml', 'name']),
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Wait);
    return runWait(args.target ?? [], flags);
  }
}
