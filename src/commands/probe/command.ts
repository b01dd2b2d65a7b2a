import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag } from '../../cli/flags.ts';
import { runProbe } from './run.ts';

export default class Probe extends BaseCommand {
  static override summary = 'Check whether CSI drivers respond, by socket or in the cluster';
  static override usage = '[DRIVER | ENDPOINT]...';
  static override description = `Queries each driver for its name, capabilities and health, and says what is wrong if it does not answer. Only calls that read are made.

What to probe:
  ENDPOINT  unix:///path, a path, a quoted pattern of paths, or tcp://host:port
  DRIVER    a name from kubectl get csidrivers
  neither   on a node all sockets in the kubelet directory, elsewhere all drivers of the cluster

In a cluster, the controllers and all nodes are probed, in this order:
  objects        pods, leases and registrations
  livenessprobe  the health endpoint of the driver, through the API server
  --exec         the driver itself, through a command in its container
  --create-pods  the driver itself, from a short-lived pod on each node`;
  static override examples = [
    { description: 'Probe all drivers of this node', command: 'sudo kubectl-csi probe' },
    {
      description: 'Probe all drivers of the cluster by objects and livenessprobes',
      command: 'kubectl csi probe --all-nodes',
    },
    {
      description: 'Probe one driver over gRPC, through its containers',
      command: 'kubectl csi probe ebs.csi.aws.com --exec --deep',
    },
    {
      description: 'Probe one driver on one node from a short-lived pod',
      command: 'kubectl csi probe ebs.csi.aws.com --node worker-1 --create-pods',
    },
    {
      description: 'Probe one socket and list what the driver supports',
      command: 'kubectl csi probe /csi/csi.sock --deep',
    },
    {
      description: 'Wait in a start-up script until the driver is ready',
      command: 'kubectl csi probe unix:///csi/csi.sock --wait-ready 60s',
    },
    {
      description: 'Probe many sockets and write a JUnit report',
      command: "kubectl csi probe '/var/lib/kubelet/plugins/*/csi.sock' -o junit",
    },
  ];
  static override args = {
    endpoint: Args.string({
      description: 'A driver of the cluster, or an endpoint on this machine',
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    timeout: Flags.string({
      summary: 'Time limit per endpoint, and the same again for the calls of --deep',
      helpValue: 'TIME',
      default: '5s',
    }),
    deep: Flags.boolean({
      summary:
        'Also query the Controller and Node services, with read-only calls; on a node also how full its volumes are',
    }),
    driver: Flags.string({ summary: 'Fail unless the driver reports this name', helpValue: 'NAME' }),
    'kubelet-root': Flags.string({
      summary: 'Kubelet directory to search; the usual ones if not set',
      helpValue: 'PATH',
    }),
    node: Flags.string({
      summary: 'Probe on this node only (repeatable)',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'all-nodes': Flags.boolean({
      summary: 'Probe on all nodes, even if --exec or --create-pods affects many',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    exec: Flags.boolean({
      summary: 'Query drivers through a command that runs in their containers',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'create-pods': Flags.boolean({
      summary: 'Query drivers from a short-lived pod that is created on each node',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'probe-image': Flags.string({
      summary:
        'Image for these pods; needs sh, sleep and one of socat, ncat, nc, python3, perl (default: the hostpath driver)',
      helpValue: 'IMAGE',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'probe-namespace': Flags.string({
      summary: "Namespace for these pods (default: the driver's)",
      helpValue: 'NAME',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    'tunnel-command': Flags.string({
      summary: "Command to reach a socket, {} for its path, such as 'socat - UNIX-CONNECT:{}'",
      helpValue: 'COMMAND',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    concurrency: Flags.string({
      summary: 'Number of pods to probe at the same time (default: 10)',
      helpValue: 'N',
      helpGroup: 'INSIDE A CLUSTER',
    }),
    watch: Flags.boolean({ char: 'w', summary: 'Keep probing, and print whenever a verdict changes' }),
    interval: Flags.string({ summary: 'Pause between two rounds, at least 1s', helpValue: 'TIME' }),
    retry: Flags.string({ summary: 'Try this many more times until all drivers are ready', helpValue: 'N' }),
    'wait-ready': Flags.string({ summary: 'Keep trying for this long until all drivers are ready', helpValue: 'TIME' }),
    output: outputFlag(['text', 'wide', 'json', 'yaml', 'junit']),
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { args, flags } = await this.parse(Probe);
    return runProbe(args.endpoint ?? [], flags);
  }
}
