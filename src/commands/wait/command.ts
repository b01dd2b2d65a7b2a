import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag, scopeFlags, sourceFlags } from '../../cli/flags.ts';
import { runWait } from './run.ts';

export default class Wait extends BaseCommand {
  static override summary = 'Wait for a state, and stop with the reason if it cannot be reached';
  static override usage = 'TYPE/NAME... | TYPE (--all | -l LABELS)';
  static override description = `Works like kubectl wait, but does not wait in vain: if a target is proven stuck, it stops and explains why.

Goals for --for, the default first:
  pvc               bound, attached, mounted, resized, deleted
  pod               mounted, attached, ready, deleted
  pv                bound, deleted
  va                attached, deleted
  vs vsc vgs vgsc   ready, deleted
  ns                deleted
The forms delete, condition=Ready and jsonpath={.status.phase}=Bound of kubectl wait work too.

When it stops early:
  at once        a cause that does not go away without a change, such as a StorageClass that does not exist
  after --grace  a cause that can pass, such as a driver error that is retried or a driver that restarts
  at --timeout   a cause that a new node would fix, a target that does not exist yet, and a wait by design, such as a claim that no pod uses yet; with --strict the last two count as causes that can pass

Progress is printed to standard error. A dump (--from) does not change, so it is judged once.`;
  static override examples = [
    {
      description: 'Wait for a claim that was just applied',
      command: 'kubectl csi wait pvc/data --for=bound --timeout=2m',
    },
    { description: 'Wait for all volumes of a pod', command: 'kubectl csi wait pod/web-0 -n shop' },
    { description: 'Wait for every claim of an application', command: 'kubectl csi wait pvc -l app=web --for=bound' },
    { description: 'Wait until a claim has been resized', command: 'kubectl csi wait pvc/data --for=resized' },
    { description: 'Wait for a snapshot before you restore it', command: 'kubectl csi wait vs/nightly' },
    { description: 'Fail too if no pod uses the claim', command: 'kubectl csi wait pvc/data --strict --grace=10s' },
  ];
  static override args = {
    target: Args.string({ description: 'The objects to wait for', multiple: true, ignoreStdin: true }),
  };
  static override flags = {
    for: Flags.string({ summary: 'Goal: bound, attached, mounted, resized, ready or deleted', helpValue: 'GOAL' }),
    timeout: Flags.string({
      summary: 'How long to wait, such as 90s (default: 5m); 0 checks once, a negative time waits a week',
      helpValue: 'TIME',
      default: '5m',
    }),
    grace: Flags.string({
      summary: 'How long a cause that can pass may last (default: 30s)',
      helpValue: 'TIME',
      default: '30s',
    }),
    strict: Flags.boolean({ summary: 'Do not wait for a target that needs an action first or does not exist' }),
    all: Flags.boolean({ summary: 'Wait for all objects of the type in the namespace' }),
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
