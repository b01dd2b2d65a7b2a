import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags } from '../../cli/flags.ts';
import { runRbac } from './run.ts';

export default class Rbac extends BaseCommand {
  static override summary = 'the least rights that the commands need, as a role; and which of them are missing';
  static override usage = '[COMMAND]...';
  static override description =
    'Prints a ClusterRole with what the named commands ask of a cluster, all of them if none is named. With -n, what is namespaced becomes a Role in that namespace. With --check nothing is printed but what the server says of it: exit code 0 if all is allowed, 1 if something is missing, 3 if the server does not tell.';
  static override examples = [
    {
      description: 'a role for everything, for the service account of a CI job',
      command: 'kubectl csi rbac --bind serviceaccount:ci:storage | kubectl apply -f -',
    },
    {
      description: 'only what why-pending needs, in two namespaces',
      command: 'kubectl csi rbac why-pending -n shop -n kube-system',
    },
    { description: 'which rights I lack', command: 'kubectl csi rbac --check' },
    { description: 'which rights somebody else lacks', command: 'kubectl csi rbac --check --as jane' },
  ];
  static override args = {
    command: Args.string({ description: 'a command of kubectl csi', multiple: true, ignoreStdin: true }),
  };
  static override flags = {
    check: Flags.boolean({ summary: 'ask the server which of the rights are missing' }),
    namespace: Flags.string({
      char: 'n',
      summary: 'only in this namespace, for what is namespaced (repeatable)',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    name: Flags.string({ summary: 'the name of the role', helpValue: 'NAME', default: 'kubectl-csi' }),
    bind: Flags.string({
      summary: 'bind it to user:NAME, group:NAME or serviceaccount:NAMESPACE:NAME (repeatable)',
      helpValue: 'WHO',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'without-secrets': Flags.boolean({ summary: 'leave secrets out, of which only the metadata is read anyway' }),
    exec: Flags.boolean({ summary: 'with what probe --exec needs' }),
    'create-pods': Flags.boolean({ summary: 'with what probe --create-pods needs' }),
    output: Flags.option({
      char: 'o',
      summary: 'the format: yaml or json; with --check text, json or yaml',
      helpValue: 'FORMAT',
      options: ['text', 'yaml', 'json'] as const,
    })(),
    'no-headers': Flags.boolean({ summary: 'leave the header line of --check out' }),
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Rbac);
    return runRbac(args.command ?? [], flags);
  }
}
