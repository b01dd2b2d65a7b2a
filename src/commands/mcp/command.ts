import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, logsFlag, scopeFlags, sourceFlags, usageFlags } from '../../cli/flags.ts';
import { runMcp } from './run.ts';

export default class Mcp extends BaseCommand {
  static override summary = 'Serve the diagnosis to AI agents over the Model Context Protocol';
  static override description = `Starts a server for an agent, over standard input and output, or with --http over streamable HTTP.

Tools: why, why_pending, status, get, check, trace, preflight, what_if, explain. All of them only read. Resources: the page of each cause (csi://causes/SLUG).

The agent chooses namespaces, names and selectors. Everything else is fixed by the flags of this command: the cluster or the dump, the user, and whether logs are read. Answers have a limited size and say what they leave out.

When its standard input is closed, the server answers what was asked, for at most 30 s, and ends. On SIGTERM it ends at once.`;
  static override examples = [
    { description: 'Add it to an agent that reads an mcp.json', command: 'kubectl csi mcp' },
    {
      description: 'Serve one cluster as a user that may only read',
      command: 'kubectl csi mcp --context prod --as storage-viewer',
    },
    { description: 'Let the agent choose the context', command: 'kubectl csi mcp --allow-contexts' },
    { description: 'Ask an agent about a dump', command: 'kubectl csi mcp --from must-gather/' },
    { description: 'Serve over HTTP on this machine', command: 'kubectl csi mcp --http 127.0.0.1:8931' },
  ];
  static override flags = {
    namespace: { ...scopeFlags.namespace, summary: 'Namespace to read where the agent names none' },
    'allow-contexts': Flags.boolean({ summary: 'Let the agent choose any context of the kubeconfig' }),
    logs: logsFlag(
      'When to read logs of the component that is due to act: auto (unless the cause is certain), always (also --logs), never (default: never)',
    ),
    http: Flags.string({
      summary: 'Serve HTTP on this address of this machine instead of standard input and output',
      helpValue: 'ADDRESS:PORT',
      helpGroup: 'HTTP',
    }),
    'http-token-file': Flags.string({
      summary: 'File with the token that clients must send; needed for an address that other machines can reach',
      helpValue: 'FILE',
      helpGroup: 'HTTP',
    }),
    'http-host': Flags.string({
      summary: 'Another host name under which clients may call the server (repeatable)',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
      helpGroup: 'HTTP',
    }),
    ...usageFlags,
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Mcp);
    return runMcp(flags);
  }
}
