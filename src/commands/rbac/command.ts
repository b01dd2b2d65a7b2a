import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, formatFlag, generalFlags, logsFlag } from '../../cli/flags.ts';
import { runRbac } from './run.ts';

export default class Rbac extends BaseCommand {
  static override summary = 'Print the role that the commands need, or check your rights';
  static override usage = '[COMMAND]...';
  static override description =
    'Prints the smallest ClusterRole for the given commands, or for all commands. With -n, namespaced resources become a Role in that namespace.\n\nWith --check, no role is printed. Instead, it shows which of these rights you have, as the API server reports them.';
  static override examples = [
    {
      description: 'Grant everything to the service account of a CI job',
      command: 'kubectl csi rbac --bind serviceaccount:ci:storage | kubectl apply -f -',
    },
    {
      description: 'Print only what why-pending needs, in two namespaces',
      command: 'kubectl csi rbac why-pending -n shop -n kube-system',
    },
    { description: 'List the rights that you lack', command: 'kubectl csi rbac --check' },
    { description: 'List the rights that another user lacks', command: 'kubectl csi rbac --check --as jane' },
  ];
  static override args = {
    command: Args.string({ description: 'A command of kubectl csi', multiple: true, ignoreStdin: true }),
  };
  static override flags = {
    check: Flags.boolean({ summary: 'Check which of the rights are missing' }),
    namespace: Flags.string({
      char: 'n',
      summary: 'Limit namespaced resources to this namespace (repeatable)',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    name: Flags.string({ summary: 'Name of the role', helpValue: 'NAME', default: 'kubectl-csi' }),
    bind: Flags.string({
      summary: 'Bind the role to user:NAME, group:NAME or serviceaccount:NAMESPACE:NAME (repeatable)',
      helpValue: 'WHO',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'without-secrets': Flags.boolean({ summary: 'Omit secrets (only their metadata is ever read)' }),
    exec: Flags.boolean({ summary: 'Include what probe --exec needs' }),
    'create-pods': Flags.boolean({ summary: 'Include what probe --create-pods needs' }),
    logs: logsFlag('Include what --logs of why, why-pending, capture and mcp needs'),
    auth: Flags.string({
      summary: 'Include what serve needs with the same flag',
      helpValue: 'WHO',
      options: ['kubernetes', 'none'],
    }),
    lease: Flags.string({ summary: 'Include what serve needs with the same flag', helpValue: '[NAMESPACE/]NAME' }),
    output: formatFlag(['text', 'yaml', 'json'], {
      summary: 'Output format: yaml, json or jsonpath=TEMPLATE; with --check also text',
    }),
    'no-headers': Flags.boolean({ summary: 'Omit the header line of --check' }),
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Rbac);
    return runRbac(args.command ?? [], flags);
  }
}
