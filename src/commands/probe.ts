import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../cli/base-command.ts';
import type { ExitCode } from '../cli/exit-codes.ts';
import { generalFlags, outputFlag } from '../cli/flags.ts';
import { runProbe } from '../cli/run-probe.ts';

export default class Probe extends BaseCommand {
  static override summary = 'whether CSI drivers are alive, asked on their own sockets';
  static override usage = '[ENDPOINT]...';
  static override description =
    'Asks each endpoint for its name, its capabilities and its health, and says exactly what is wrong with one that does not answer. An endpoint is unix:///path, a path, a quoted pattern of paths or tcp://host:port. Without one, on a node: all sockets of drivers and registrars under the kubelet directory. Nothing that changes anything is ever called. Exit code 0 says that all of them are ready, 1 that one is not, 3 that it could not be told.';
  static override examples = [
    { description: 'all drivers of this node', command: 'sudo kubectl-csi probe' },
    { description: 'one socket, with all that the driver can do', command: 'kubectl csi probe /csi/csi.sock --deep' },
    { description: 'in a start-up script: wait until the driver is there', command: 'kubectl csi probe unix:///csi/csi.sock --wait-ready 60s' },
    { description: 'many sockets, for CI', command: "kubectl csi probe '/var/lib/kubelet/plugins/*/csi.sock' -o junit" },
  ];
  static override args = { endpoint: Args.string({ description: 'where a driver listens', multiple: true, ignoreStdin: true }) };
  static override flags = {
    timeout: Flags.string({ summary: 'how long one endpoint may take; the calls of --deep as long again', helpValue: 'TIME', default: '5s' }),
    deep: Flags.boolean({ summary: 'ask the Controller and Node services too, with calls that only read' }),
    driver: Flags.string({ summary: 'the name that the driver must give', helpValue: 'NAME' }),
    'kubelet-root': Flags.string({ summary: 'the kubelet directory to search; the usual ones if not given', helpValue: 'PATH' }),
    watch: Flags.boolean({ char: 'w', summary: 'probe again and again, and print whenever a verdict changes' }),
    interval: Flags.string({ summary: 'the pause between two rounds, 1s at least', helpValue: 'TIME' }),
    retry: Flags.string({ summary: 'try so many times more until all are ready', helpValue: 'N' }),
    'wait-ready': Flags.string({ summary: 'try for so long until all are ready', helpValue: 'TIME' }),
    output: outputFlag(['text', 'wide', 'json', 'yaml', 'junit']),
    ...generalFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Probe);
    return runProbe(args.endpoint ?? [], flags);
  }
}
