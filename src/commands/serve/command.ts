import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, scopeFlags, sourceFlags, usageFlags } from '../../cli/flags.ts';
import { runServe } from './run.ts';

export default class Serve extends BaseCommand {
  static override summary = 'Serve a live page, metrics and notifications about stuck storage';
  static override description = `Follows the cluster and serves:
  /                     what is stuck and why, as a page that updates itself
  /status, /check       the same for status and check
  /metrics              metrics for Prometheus, also as OpenMetrics
  /healthz, /readyz     probes; ready means read and watched
  /api/v1/NAME          JSON: why, status, check, report or get/TYPE

The cluster is only read, except that --auth kubernetes creates reviews of callers, and --lease a lease. It listens on 127.0.0.1 unless --address is given; at any other address, callers need permission (--auth). While the cluster cannot be read, the pages and metrics say so, and nothing is reported as healthy.`;
  static override examples = [
    { description: 'Serve the whole cluster on this machine', command: 'kubectl csi serve' },
    { description: 'Serve one namespace on another port', command: 'kubectl csi serve -n shop --port 9000' },
    {
      description: 'Send a message to a chat when a cause appears or clears',
      command: 'kubectl csi serve --notify-file webhook.txt --state announced.json',
    },
    {
      description: 'In a cluster: let callers in by their rights, and let one of two replicas notify',
      command:
        'kubectl csi serve --address 0.0.0.0 --auth kubernetes --notify-file /etc/notify/url --lease storage-notices',
    },
    { description: 'Look at a dump in a browser', command: 'kubectl csi serve --from dump/' },
  ];
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': Flags.boolean({ char: 'A', summary: 'Serve all namespaces (the default)' }),
    address: Flags.string({
      summary: 'IP address to listen on (repeatable; default: 127.0.0.1)',
      helpValue: 'IP',
      multiple: true,
      multipleNonGreedy: true,
      helpGroup: 'SERVER',
    }),
    port: Flags.string({
      summary: 'Port to listen on; 0 is any free port',
      helpValue: 'N',
      default: '8327',
      helpGroup: 'SERVER',
    }),
    'base-path': Flags.string({
      summary: 'Path under which everything is served',
      helpValue: 'PATH',
      helpGroup: 'SERVER',
    }),
    host: Flags.string({
      summary: 'Also answer to this name (repeatable); with it, every address answers only to its names',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
      helpGroup: 'SERVER',
    }),
    'max-pages': Flags.string({
      summary: 'Most pages that are updated at a time',
      helpValue: 'N',
      default: '64',
      helpGroup: 'SERVER',
    }),
    auth: Flags.string({
      summary:
        'Who may read at addresses that others can reach: kubernetes (creates TokenReviews and ' +
        'SubjectAccessReviews to check callers), or none (everybody)',
      helpValue: 'WHO',
      options: ['kubernetes', 'none'],
      helpGroup: 'SERVER',
    }),
    'tls-cert': Flags.string({
      summary: 'File with the certificate of the server',
      helpValue: 'FILE',
      helpGroup: 'SERVER',
    }),
    'tls-key': Flags.string({
      summary: 'File with the key of that certificate',
      helpValue: 'FILE',
      helpGroup: 'SERVER',
    }),
    'object-labels': Flags.boolean({
      summary: 'Add metrics with names of nodes, claims, segments and leaders in their labels',
      helpGroup: 'SERVER',
    }),
    notify: Flags.string({
      summary: 'Send a message here when a cause appears or clears (Slack-compatible JSON)',
      helpValue: 'URL',
      helpGroup: 'NOTIFICATIONS',
    }),
    'notify-file': Flags.string({
      summary: 'The same with an address from a file, which other users of the machine do not see',
      helpValue: 'FILE',
      helpGroup: 'NOTIFICATIONS',
    }),
    'notify-header-file': Flags.string({
      summary: 'File with headers to send, such as Authorization: Bearer TOKEN',
      helpValue: 'FILE',
      helpGroup: 'NOTIFICATIONS',
    }),
    'notify-after': Flags.string({
      summary: 'How long a cause must be there, or be gone, before a message is sent',
      helpValue: 'TIME',
      default: '30s',
      helpGroup: 'NOTIFICATIONS',
    }),
    state: Flags.string({
      summary: 'File that remembers across restarts what was announced',
      helpValue: 'FILE',
      helpGroup: 'NOTIFICATIONS',
    }),
    lease: Flags.string({
      summary:
        'Notify only while holding this lease, which is created if it does not exist; it also remembers what was announced',
      helpValue: '[NAMESPACE/]NAME',
      helpGroup: 'NOTIFICATIONS',
    }),
    ...usageFlags,
    ...sourceFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Serve);
    return runServe(flags);
  }
}
