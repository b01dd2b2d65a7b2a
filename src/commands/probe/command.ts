import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag } from '../../cli/flags.ts';
import { runProbe } from './run.ts';

export default class Probe extends BaseCommand {
  static override summary = 'whether CSI drivers are alive, asked on their own sockets or inside a cluster';
  static override usage = '[DRIVER | ENDPOINT]...';
  static override description =
    'Asks each driver for its name, its capabilities and its health, and says exactly what is wrong with one that does not answer. An endpoint is unix:///path, a path, a quoted pattern of paths or tcp://host:port; without one, on a node, all sockets under the kubelet directory. A driver is a name as in kubectl get csidrivers; without one, away from a node, all drivers of the cluster. In a cluster the controllers and all nodes are looked at: first the objects, then the livenessprobe through the API server; with --exec the driver itself through its container, with --create-pods from a short-lived pod on each node. Nothing that changes a volume is ever called. Exit code 0 says that all are ready, 1 that one is not, 3 that it could not be told.';
  static override examples = [
    { description: 'all drivers of this node', command: 'sudo kubectl-csi probe' },
    {
      description: 'all drivers of the cluster, by their objects and their livenessprobes',
      command: 'kubectl csi probe --all-nodes',
    },
    {
      description: 'one driver, by its own word: gRPC through its containers',
      command: 'kubectl csi probe ebs.csi.aws.com --exec --deep',
    },
    {
      description: 'one driver on one node, where its image has no tool',
      command: 'kubectl csi probe ebs.csi.aws.com --node worker-1 --create-pods',
    },
    { description: 'one socket, with all that the driver can do', command: 'kubectl csi probe /csi/csi.sock --deep' },
    {
      description: 'in a start-up script: wait until the driver is there',
      command: 'kubectl csi probe unix:///csi/csi.sock --wait-ready 60s',
    },
    {
      description: 'many sockets, for CI',
      command: "kubectl csi probe '/var/lib/kubelet/plugins/*/csi.sock' -o junit",
    },
  ];
  static override args = {
    endpoint: Args.string({
      description: 'a driver of the cluster, or where one listens on this machine',
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    timeout: Flags.string({
      summary: 'how long one endpoint may take; the calls of --deep as long again',
      helpValue: 'TIME',
      default: '5s',
    }),
    deep: Flags.boolean({ summary: 'ask the Controller and Node services too, with calls that only read' }),
    driver: Flags.string({ summary: 'the name that the driver must give', helpValue: 'NAME' }),
    'kubelet-root': Flags.string({
      summary: 'the kubelet directory to search; the usual ones if not given',
      helpValue: 'PATH',
    }),
    node: Flags.string({
      summary: 'only on this node (repeatable)',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'all-nodes': Flags.boolean({
      summary: 'on all nodes, also where --exec or --create-pods goes to many',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    exec: Flags.boolean({
      summary: 'run a command in the containers of drivers that carries our calls to their sockets',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'create-pods': Flags.boolean({
      summary: 'create a short-lived pod on each node that carries our calls to the sockets there',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'probe-image': Flags.string({
      summary:
        'the image of these pods: sh, sleep, and socat, ncat, nc, python3 or perl; the hostpath driver if not given',
      helpValue: 'IMAGE',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'probe-namespace': Flags.string({
      summary: 'the namespace of these pods; that of the driver if not given',
      helpValue: 'NAME',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'tunnel-command': Flags.string({
      summary: "the command that carries the calls, {} for the path, such as 'socat - UNIX-CONNECT:{}'",
      helpValue: 'COMMAND',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    concurrency: Flags.string({
      summary: 'how many pods are asked at once; 10 if not given',
      helpValue: 'N',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    watch: Flags.boolean({ char: 'w', summary: 'probe again and again, and print whenever a verdict changes' }),
    interval: Flags.string({ summary: 'the pause between two rounds, 1s at least', helpValue: 'TIME' }),
    retry: Flags.string({ summary: 'try so many times more until all are ready', helpValue: 'N' }),
    'wait-ready': Flags.string({ summary: 'try for so long until all are ready', helpValue: 'TIME' }),
    output: outputFlag(['text', 'wide', 'json', 'yaml', 'junit']),
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Probe);
    return runProbe(args.endpoint ?? [], flags);
  }
}
